"""Downloads: to a file with its digest, or small and read at once; conditional, and retried."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from http import HTTPStatus
from io import BytesIO
from typing import IO, TYPE_CHECKING

from .errors import HttpError
from .exchange import responding
from .request import Request
from .retries import persistently

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import requests

__all__ = ["Arrived", "Request", "Stamp", "fetch", "fetch_changed", "read"]

log = logging.getLogger(__name__)

_PIECE = 1 << 18
_LARGEST = 2 << 30


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
class Arrived:
    """The result of a download."""

    sha256: str
    content_type: str | None
    stamp: Stamp
    headers: Mapping[str, str]


def fetch(request: Request, file: Path) -> Arrived:
    """Download the content of a URL into a file."""
    download = replace(request, download=True)
    log.info("downloading %s", request.shown)

    def once() -> Arrived:
        with responding(download) as (sent, response), file.open("wb") as target:
            return _copied(sent, response, target, _LARGEST)

    return persistently(once, request.shown)


def fetch_changed(request: Request, file: Path, stamp: Stamp) -> Arrived | None:
    """Download the content of a URL into a file; None if it still has this stamp."""
    try:
        return fetch(replace(request, headers={**request.headers, **stamp.headers()}), file)
    except HttpError as error:
        if error.status == HTTPStatus.NOT_MODIFIED and any(stamp.headers()):
            return None
        raise


def read(request: Request, most: int) -> tuple[bytes, Arrived]:
    """The content of a URL that is small."""
    small = replace(request, download=True)

    def once() -> tuple[bytes, Arrived]:
        with responding(small) as (sent, response):
            content = BytesIO()
            arrived = _copied(sent, response, content, most)
            return content.getvalue(), arrived

    return persistently(once, request.shown)


def _copied(sent: Request, response: requests.Response, target: IO[bytes], most: int) -> Arrived:
    digest, size = hashlib.sha256(), 0
    for piece in response.raw.stream(_PIECE, decode_content=not sent.raw):
        digest.update(piece)
        target.write(piece)
        size += len(piece)
        if size > most:
            raise HttpError(f"it is larger than {most} bytes", where=sent.shown)
    headers = response.headers
    stamp = Stamp(headers.get("ETag", ""), headers.get("Last-Modified", ""))
    return Arrived(digest.hexdigest(), headers.get("Content-Type"), stamp, headers)
