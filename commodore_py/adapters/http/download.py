"""Downloads: streamed to a file with the digest taken on the way, or small and read at once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from . import PAUSES, HttpError, opened
from .retries import persistently

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MOST_TEXT = 1 << 20


def download(url: str, file: Path, *, timeout: float, pauses: Sequence[float] = PAUSES) -> str:
    """Bring what a URL holds into a file; returns its SHA-256."""

    def once() -> str:
        digest = hashlib.sha256()
        with opened(url, timeout=timeout) as pieces, file.open("wb") as target:
            for piece in pieces:
                digest.update(piece)
                target.write(piece)
        return digest.hexdigest()

    return persistently(once, url, pauses)


def download_text(url: str, *, timeout: float, pauses: Sequence[float] = PAUSES) -> str:
    """A small text that a URL holds."""

    def once() -> str:
        content = b""
        with opened(url, timeout=timeout) as pieces:
            for piece in pieces:
                content += piece
                if len(content) > _MOST_TEXT:
                    raise HttpError(f"answered with more than {_MOST_TEXT} bytes", where=url)
        return content.decode(errors="replace")

    return persistently(once, url, pauses)
