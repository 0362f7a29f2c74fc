"""Downloads: to a file with its digest, or small and read at once; retried."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from io import BytesIO
from typing import IO, TYPE_CHECKING

from .errors import HttpError
from .exchange import Request, persistently, responding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import requests

__all__ = ["Arrived", "Request", "fetch", "read"]

log = logging.getLogger(__name__)

_PIECE = 1 << 18
_LARGEST = 2 << 30


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
