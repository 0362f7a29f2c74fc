"""Downloads as other tools would make them: conditional, with netrc, proxies and CAs, retried."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR

from . import PAUSES, HttpError, ServerAway, not_sent, refused, translated
from .retries import persistently

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import requests

log = logging.getLogger(__name__)

_PIECE = 1 << 18
_MOST = 2 << 30
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PATIENCE = 30.0

# Those of an API speak of ids and of the token of its user.
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "a netrc file may hold the user and password for that server",
    HTTPStatus.FORBIDDEN: "a netrc file may hold the user and password for that server",
    HTTPStatus.NOT_FOUND: "check the address, and the version if it holds one",
}


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a server compares to detect a change."""

    etag: str = ""
    modified: str = ""

    def headers(self) -> dict[str, str]:
        """The headers of a conditional request."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a download."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    basic: tuple[str, str] | None = field(default=None, repr=False)
    """User and password; by default those of a netrc file."""
    verify: bool | str = True
    timeout: float = _PATIENCE
    setting: str = "download"
    """The time limit that is for all of it."""
    raw: bool = False
    """Whether content is taken as it was sent, whatever encoding the server claims for it."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """What came of a download."""

    sha256: str
    content_type: str | None
    stamp: Stamp
    headers: Mapping[str, str]


def patience(timeout: float) -> float:
    """Seconds to wait for the next piece: files may take longer than answers of an API."""
    return max(timeout, _PATIENCE)


def fetch(
    request: Request, file: Path, stamp: Stamp | None = None, pauses: Sequence[float] = PAUSES
) -> Arrived | None:
    """Bring what a URL holds into a file; None if that is what bears this stamp."""
    conditions = stamp.headers() if stamp else {}

    def once() -> Arrived | None:
        digest, size = hashlib.sha256(), 0
        with _answer(request, conditions) as response:
            if response.status_code == HTTPStatus.NOT_MODIFIED and conditions:
                return None
            with file.open("wb") as target:
                for piece in _pieces(request, response):
                    digest.update(piece)
                    target.write(piece)
                    size += len(piece)
                    if size > _MOST:
                        raise HttpError(f"it is larger than {_MOST} bytes", where=_shown(request))
            headers = response.headers
            known = Stamp(headers.get("ETag", ""), headers.get("Last-Modified", ""))
            return Arrived(digest.hexdigest(), headers.get("Content-Type"), known, headers)

    return persistently(once, _shown(request), pauses)


def read(request: Request, most: int, pauses: Sequence[float] = PAUSES) -> tuple[bytes, Arrived]:
    """The content of a URL that is small."""

    def once() -> tuple[bytes, Arrived]:
        content = b""
        with _answer(request, {}) as response:
            for piece in _pieces(request, response):
                content += piece
                if len(content) > most:
                    raise HttpError(f"it is larger than {most} bytes", where=_shown(request))
            digest, headers = hashlib.sha256(content).hexdigest(), response.headers
            return content, Arrived(digest, headers.get("Content-Type"), Stamp(), headers)

    return persistently(once, _shown(request), pauses)


@contextmanager
def _answer(request: Request, conditions: Mapping[str, str]) -> Iterator[requests.Response]:
    import requests  # slow to import, and most compiles send no request

    from .deadlines import session
    from .watch import Watch

    if request.basic:
        REDACTOR.learn(request.basic[1])
    log.info("asking %s", _shown(request))
    headers = {**request.headers, **conditions}
    if request.raw:
        headers["Accept-Encoding"] = "identity"
    # A session, as only that forgets credentials when it is sent to another server.
    with session(Watch(request.url, request.setting)) as sending:
        try:
            with _begun(sending, request, headers) as response:
                if not response.ok:
                    error = refused(_shown(request), response)
                    error.hint = _HINTS.get(response.status_code, "")
                    raise error
                length = response.headers.get("Content-Length", "0")
                # Libraries take such an answer for an empty one.
                if not re.fullmatch(r"\d+(?:\s*,\s*\d+)*", length.strip(), re.ASCII):
                    raise HttpError(f"it claims to have {length} bytes", where=_shown(request))
                yield response
        except (requests.exceptions.InvalidSchema, requests.exceptions.InvalidURL) as error:
            reason = REDACTOR.message(str(error))
            raise HttpError(f"not a valid download URL: {reason}", where=_shown(request)) from error
        except requests.RequestException as error:
            raise translated(error, _shown(request), request.timeout) from error


def _begun(
    sending: requests.Session, request: Request, headers: Mapping[str, str]
) -> requests.Response:
    import requests

    try:
        return sending.get(
            request.url,
            headers=headers,
            auth=request.basic,
            timeout=request.timeout,
            verify=_authorities(request.verify),
            stream=True,
        )
    except requests.RequestException:
        raise
    except OSError as error:
        raise not_sent(error, _shown(request)) from error
    except ValueError as error:  # of the target of a redirect
        raise requests.exceptions.InvalidURL(str(error)) from error


def _pieces(request: Request, response: requests.Response) -> Iterator[bytes]:
    if not request.raw:
        yield from response.iter_content(_PIECE)
        return
    import requests
    import urllib3

    try:
        yield from response.raw.stream(_PIECE, decode_content=False)
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout(error) from error
    except urllib3.exceptions.HTTPError as error:
        raise ServerAway(f"the answer ended too early: {error}", where=_shown(request)) from error


def _authorities(verify: bool | str) -> bool | str:  # noqa: FBT001 - as requests has it
    """Our HTTP library has variables of its own for this; such as helm have SSL_CERT_FILE."""
    if verify is not True:
        return verify
    names = (*_BUNDLES, "SSL_CERT_FILE")
    variable = next((name for name in names if os.environ.get(name)), "")
    file = os.environ.get(variable, "")
    if file and not os.path.exists(file):  # noqa: PTH110 - a variable's text
        raise HttpError(f"{variable} names no file: {file}", hint="correct it, or unset it")
    return file or True


def _shown(request: Request) -> str:
    return REDACTOR.message(request.url)
