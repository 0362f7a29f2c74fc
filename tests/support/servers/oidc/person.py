"""A person in front of a browser: goes where it is sent, fills in forms, agrees or refuses.

As a program it is what BROWSER may name; `confused` comes from an older login page:

    BROWSER="python person.py agrees|refuses|confused %s"
"""

from __future__ import annotations

import sys
import urllib.request
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin

MANY = 20


class _Page(HTMLParser):
    """The one form of a page, and the way out of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.action: str | None = None
        self.fields: dict[str, str] = {}
        self.strict: str | None = None
        self._link = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = found.get("action", "")
        elif tag == "input" and found.get("name"):
            self.fields[found["name"]] = found.get("value") or "somebody"
        elif tag == "a":
            self._link = found.get("href", "")

    def handle_data(self, data: str) -> None:
        if "Cancel" in data and self._link:
            self.strict = self._link


class Person:
    """Keeps cookies, as browsers do."""

    def __init__(self, *, agrees: bool = True) -> None:
        self.agrees = agrees
        self._open = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )

    def visits(self, url: str) -> str:
        """Follow a link to its end; the text of the last page."""
        url, text = self._get(url)
        for _ in range(MANY):
            page = _Page(text)
            if page.strict and not self.agrees:
                return self._get(urljoin(url, page.strict))[1]
            if page.action is not None:
                url, text = self._get(urljoin(url, page.action), page.fields)
            else:
                return text
        raise RuntimeError(f"the provider still expects input, at {url}")

    def _get(self, url: str, fields: dict[str, str] | None = None) -> tuple[str, str]:
        data = urlencode(fields).encode() if fields is not None else None
        try:
            with self._open.open(url, data, timeout=10) as response:
                return response.url, response.read().decode()
        except HTTPError as error:
            with error:
                return error.url or url, error.read().decode()


def browser(mood: str) -> str:
    """What BROWSER is set to, to have such a person in front of it."""
    return f"{sys.executable} {__file__} {mood} %s"


if __name__ == "__main__":
    mood, url = sys.argv[1:]
    url = url.replace("state=", "state=old") if mood == "confused" else url
    Person(agrees=mood != "refuses").visits(url)
