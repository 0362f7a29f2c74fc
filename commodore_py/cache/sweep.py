"""A store as a whole: its size and age, and the limits of both."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNFINISHED = ".new"
_ABANDONED = 3600.0  # temporary files are renamed at once
_BLOCK = 4096
_MARKER = "swept"
_PAUSE = 3600.0
_ROOM = 0.2


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    used: float


@dataclass(frozen=True, slots=True)
class Usage:
    """The size of a store, in whole blocks, and when something was last used."""

    blobs: int
    records: int
    bytes: int
    used: float | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """Sizes of what was removed, and of what is left."""

    files: int
    freed: int
    left: int


def usage(blobs: str, records: str) -> Usage:
    """The size of a store."""
    files = [
        [file for file in _files_below(folder) if not file.path.endswith(_UNFINISHED)]
        for folder in (blobs, records)
    ]
    return Usage(
        len(files[0]),
        len(files[1]),
        sum(file.size for part in files for file in part),
        max((file.used for part in files for file in part), default=None),
    )


def prune(folder: str, limit: int, *, unused_for: float | None = None, room: float = 0.0) -> Pruned:
    """Remove what was not used for so long, and then the oldest until the rest fits.

    If anything must go, so much goes that some room is left: a part of the limit. All formats
    count: the program that made an older one may never run again.
    """
    now = time.time()
    files = sorted(_files_below(folder), key=lambda file: file.used)
    left = sum(file.size for file in files)
    if left > limit:
        limit = int(limit * (1 - room))
    removed = freed = 0
    for file in files:
        old = unused_for is not None and now - file.used >= unused_for
        abandoned = file.path.endswith(_UNFINISHED) and now - file.used >= _ABANDONED
        if not (old or abandoned or left > limit):
            continue
        with suppress(OSError):
            os.unlink(file.path)  # noqa: PTH108 - very many
            removed, freed, left = removed + 1, freed + file.size, left - file.size
    return Pruned(removed, freed, left)


def tidy(folder: str, limit: int) -> None:
    """Prune once an hour, with some room, so that the next runs need not prune again."""
    marker = f"{folder}/{_MARKER}"
    try:
        if 0 <= time.time() - os.stat(marker).st_mtime < _PAUSE:  # noqa: PTH116 - a text
            return
    except OSError:
        pass
    try:
        os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.utime(marker)
    except OSError:  # there is no store, or it is read-only
        return
    prune(folder, limit, room=_ROOM)


def _files_below(folder: str) -> Iterator[_File]:
    """Everything but folders and the marker; what vanishes while it is listed is missing."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path)
            elif entry.name != _MARKER:
                status = entry.stat(follow_symlinks=False)
                blocks = -(-status.st_size // _BLOCK)
                yield _File(entry.path, blocks * _BLOCK, status.st_mtime)
        except OSError:
            continue
