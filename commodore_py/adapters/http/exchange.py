"""Exchanges with servers, and downloads: redirects, credentials that follow, further attempts."""

from __future__ import annotations

import hashlib
import logging
import math
import re
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from io import BytesIO
from typing import IO, TYPE_CHECKING, TypeVar

from commodore_py.adapters import ending, time_limits
from commodore_py.adapters.masking import REDACTOR

from .address import is_private, join_url, same_server, split_url
from .errors import HttpError, ServerAway, TooMany, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import requests

    from .session import Watch

log = logging.getLogger(__name__)

_FINE = range(200, 300)
_REDIRECTS = {
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
}
PAUSES = (0.3, 1.0)
"""Seconds to wait before each further attempt of a GET."""

_MOST_REDIRECTS = 5
_MOST = 5
_LONG = 1
_PIECE = 1 << 18
_LARGEST = 2 << 30

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Request:
    """A request, and the credentials that go with it."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    params: Mapping[str, str] | None = None
    body: bytes | None = None
    token: str = field(default="", repr=False)
    verify: bool | str = True
    timeout: float = 30
    download: bool = False
    """Whether it is for a file, which takes longer, and comes from a server of a netrc file."""
    raw: bool = False
    """Whether content is taken as it was sent, whatever encoding the server claims for it."""

    @property
    def shown(self) -> str:
        """The URL for messages."""
        return REDACTOR.message(self.url)


@contextmanager
def responding(request: Request) -> Iterator[tuple[Request, requests.Response]]:
    """The response to a request, and the request as it was last sent; errors are raised."""
    from .session import translating  # requests is slow to import

    request, response = _arrive(request)
    with translating(request.shown, request.timeout), response:
        if response.status_code not in _FINE:
            raise refused(request.shown, response)
        length = response.headers.get("Content-Length", "0").strip()
        # Libraries take such an answer for an empty one.
        if not re.fullmatch(r"\d+(?:\s*,\s*\d+)*", length, re.ASCII):
            raise HttpError(
                f"the answer has an invalid Content-Length: {length}", where=request.shown
            )
        yield request, response


def _arrive(request: Request) -> tuple[Request, requests.Response]:
    # Redirects are followed here and not by requests, which would turn a POST into a GET, and
    # on each hop let a netrc file replace the token.
    from .session import Watch

    REDACTOR.learn(request.token)
    watch = Watch(request.url, "download" if request.download else "request")
    for _ in range(_MOST_REDIRECTS + 1):
        response = _send(request, watch)
        followed = _REDIRECTS | ({HTTPStatus.SEE_OTHER} if request.method == "GET" else set())
        location = response.headers.get("Location", "") if response.status_code in followed else ""
        if not location:
            return request, response
        response.close()
        request = _redirected(request, location)
    raise HttpError(f"redirected more than {_MOST_REDIRECTS} times", where=request.shown)


def _send(request: Request, watch: Watch) -> requests.Response:
    """Send a request once; the content of its response is not read yet."""
    from .session import authorities, sending, session

    headers = dict(request.headers)
    if request.raw:
        headers["Accept-Encoding"] = "identity"
    signed = bool(request.token) or "Authorization" in headers

    def authorise(prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        if request.token:
            prepared.headers["Authorization"] = f"Bearer {request.token}"
        return prepared

    with sending(request.shown, request.timeout), session(watch) as opened:
        return opened.request(
            request.method,
            request.url,
            params=request.params,
            data=request.body,
            headers=headers,
            # A netrc file is for downloads: on an API, it would replace the token.
            auth=None if request.download and not signed else authorise,
            timeout=request.timeout,
            verify=authorities(verify=request.verify),
            stream=True,
            allow_redirects=False,
        )


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


def persistently(
    act: Callable[[], Result],
    where: str,
    pauses: Sequence[float] = PAUSES,
    kinds: tuple[type[HttpError], ...] = (ServerAway, TooMany),
) -> Result:
    """Do something until it works, as long as a server may only be busy; without pauses, once.

    `Retry-After` is respected, within the time limit `retry`. The retries of urllib3
    end with the first byte of a response; these repeat a download that broke off, too.
    """
    left = time_limits.current().retry or math.inf
    for attempt in range(_MOST):
        try:
            return act()
        except kinds as error:
            requested = retry_after(error.headers)
            if not pauses or (requested is None and attempt >= len(pauses)):
                raise
            pause = pauses[attempt] if requested is None else requested
            if requested is not None and pause > left:
                hint = time_limits.hint("retry", pause)
                error.hint = f"the server requests a pause of {math.ceil(pause)} seconds; {hint}"
                raise
            level = time_limits.SHOWN if pause > _LONG else logging.DEBUG
            log.log(level, "%s: %s; asking again in %g seconds", where, error, pause)
        left -= pause
        ending.pause(pause)
    return act()


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that `Retry-After` asks for: a number of them, or a date."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return None


@dataclass(frozen=True, slots=True)
class Arrived:
    """The result of a download."""

    sha256: str
    headers: Mapping[str, str]


def fetch(request: Request, file: Path) -> Arrived:
    """Download the content of a URL into a file."""

    def once() -> Arrived:
        with responding(download) as (sent, response), file.open("wb") as target:
            return _copied(sent, response, target, _LARGEST)

    download = replace(request, download=True)
    log.info("downloading %s", request.shown)
    return persistently(once, request.shown)


def read(request: Request, limit: int) -> tuple[bytes, Arrived]:
    """The content of a URL that is small."""

    def once() -> tuple[bytes, Arrived]:
        content = BytesIO()
        with responding(download) as (sent, response):
            arrived = _copied(sent, response, content, limit)
        return content.getvalue(), arrived

    download = replace(request, download=True)
    return persistently(once, request.shown)


def _copied(sent: Request, response: requests.Response, target: IO[bytes], limit: int) -> Arrived:
    digest, size = hashlib.sha256(), 0
    for piece in response.raw.stream(_PIECE, decode_content=not sent.raw):
        digest.update(piece)
        target.write(piece)
        size += len(piece)
        if size > limit:
            raise HttpError(f"it is larger than {limit} bytes", where=sent.shown)
    return Arrived(digest.hexdigest(), response.headers)
