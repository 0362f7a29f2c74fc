"""What a person sees in the browser when it comes back from the identity provider."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

from commodore_py.adapters.http.listener import Page

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Commodore: {title}</title>
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto }}
:root {{ color-scheme: light dark }}
</style></head>
<body><h1>{title}</h1><p>{text}</p></body>
</html>
"""


def logged_in() -> Page:
    """All went well."""
    return _page(HTTPStatus.OK, "You are logged in", "You may close this window.")


def not_logged_in(reason: str, status: int = HTTPStatus.BAD_REQUEST) -> Page:
    """It did not; the terminal says the same."""
    text = f"{reason}. The terminal where you started says what to do."
    return _page(status, "You are not logged in", text)


def _page(status: int, title: str, text: str) -> Page:
    return Page(status, _PAGE.format(title=escape(title), text=escape(text)))
