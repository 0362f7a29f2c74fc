"""One exchange with a server: its redirects, and where credentials may follow them."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR

from .address import is_private, join_url, same_server, split_url
from .errors import HttpError, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    import requests

    from .request import Request

_FINE = range(200, 300)
_REDIRECTS = {
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
}
# The hints for an API speak of ids and of the token of its user.
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "a netrc file may hold the user and password for that server",
    HTTPStatus.FORBIDDEN: "a netrc file may hold the user and password for that server",
    HTTPStatus.NOT_FOUND: "check the address, and the version if it holds one",
}


@contextmanager
def responding(request: Request) -> Iterator[tuple[Request, requests.Response]]:
    """The response to a request, and the request as it was last sent; errors are raised."""
    from .session import translating  # requests is slow to import

    request, response = _arrive(request)
    with translating(request), response:
        if response.status_code not in _FINE:
            error = refused(request.shown, response)
            error.hint = _HINTS.get(error.status, "") if request.download else error.hint
            raise error
        length = response.headers.get("Content-Length", "0").strip()
        # Libraries take such an answer for an empty one.
        if not re.fullmatch(r"\d+(?:\s*,\s*\d+)*", length, re.ASCII):
            raise HttpError(f"it claims to have {length} bytes", where=request.shown)
        yield request, response


def _arrive(request: Request) -> tuple[Request, requests.Response]:
    # Redirects are followed here and not by requests, which would turn a POST into a GET, and
    # on each hop let a netrc file replace the token.
    from .session import send
    from .watch import MOST_REDIRECTS, Watch

    REDACTOR.learn(request.token)
    if request.timeout <= 0:
        raise HttpError(
            f"a timeout of {request.timeout} seconds leaves no time for an answer",
            where=request.shown,
            hint="give --request-timeout a number above zero",
        )
    watch = Watch(request.url, "download" if request.download else "request")
    for _ in range(MOST_REDIRECTS + 1):
        response = send(request, watch)
        followed = _REDIRECTS | ({HTTPStatus.SEE_OTHER} if request.method == "GET" else set())
        location = response.headers.get("Location", "") if response.status_code in followed else ""
        if not location:
            return request, response
        response.close()
        request = _redirected(request, location)
    raise HttpError(f"redirected more than {MOST_REDIRECTS} times", where=request.shown)


def _redirected(request: Request, location: str) -> Request:
    target = join_url(request.url, location)
    followed = replace(request, url=target, params=None)
    if same_server(request.url, target):
        return followed
    if request.method != "GET":
        raise HttpError(
            f"redirected to another server, {followed.shown}: nothing was sent there",
            where=request.shown,
            hint="if that server is the right one, give its URL instead",
        )
    # What a download has to be is known by its digest, or taken as Commodore takes it.
    if split_url(request.url).scheme == "https" and not (request.download or is_private(target)):
        message = f"redirected to plain http, {followed.shown}: not followed"
        raise HttpError(message, where=request.shown)
    headers = {name: text for name, text in request.headers.items() if name != "Authorization"}
    return replace(followed, headers=headers, token="")
