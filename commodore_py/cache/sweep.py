"""What a store holds as a whole: size, age, damage; and the limits of both."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ASIDE = ".new"
_ABANDONED = 3600.0  # temporary files are renamed at once
_BLOCK = 4096
_LOOKED, _SWEPT = "looked", "swept"
_MARKERS = frozenset({_LOOKED, _SWEPT})
_OFTEN, _SELDOM = 600.0, 86400.0
_FOLDERS = 256
_SAMPLE = 8
_ROOM = 0.2
_HEX = frozenset("0123456789abcdef")
_SHORTEST_KEY = 8


def is_key(text: str) -> bool:
    """Whether a text is safe as the name of a file, and long enough to be spread over folders."""
    return len(text) >= _SHORTEST_KEY and _HEX.issuperset(text)


class _File(NamedTuple):
    path: str
    size: int
    used: float


class Usage(NamedTuple):
    """The size of a store, in whole blocks, and when something was last used."""

    blobs: int
    notes: int
    bytes: int
    used: float | None


class Pruned(NamedTuple):
    """What was removed, and what is left."""

    files: int
    freed: int
    left: int


def usage(blobs: str, notes: str) -> Usage:
    """The size of a store."""
    contents, records = (
        [one for one in _files_below(folder) if not one.path.endswith(_ASIDE)]
        for folder in (blobs, notes)
    )
    every = contents + records
    return Usage(
        len(contents),
        len(records),
        sum(one.size for one in every),
        max((one.used for one in every), default=None),
    )


def prune(folder: str, limit: int, *, unused_for: float | None = None, room: float = 0.0) -> Pruned:
    """Remove what was not used for so long, and then the oldest until the rest fits.

    If anything must go, so much goes that some room is left: a part of the limit. All formats
    count: the program that made an older one may never run again.
    """
    now = time.time()
    files = sorted(_files_below(folder), key=lambda one: one.used)
    left = sum(one.size for one in files)
    if left > limit:
        limit = int(limit * (1 - room))
    removed = freed = 0
    for one in files:
        old = unused_for is not None and now - one.used >= unused_for
        abandoned = one.path.endswith(_ASIDE) and now - one.used >= _ABANDONED
        if not (old or abandoned or left > limit):
            continue
        with suppress(OSError):
            os.unlink(one.path)  # noqa: PTH108 - very many
            removed, freed, left = removed + 1, freed + one.size, left - one.size
    return Pruned(removed, freed, left)


def tidy(folder: str, parts: Sequence[str], limit: int) -> None:
    """Prune once a day, and when a sample, taken now and then, is over the limit."""
    if not _is_due(f"{folder}/{_LOOKED}", _OFTEN):
        return
    too_much = _estimate(parts) > limit
    if _is_due(f"{folder}/{_SWEPT}", _SELDOM) or too_much:
        # Some room, so that neither this run nor the next ones have to prune again.
        prune(folder, limit, room=_ROOM)


def _is_due(marker: str, pause: float) -> bool:
    """Whether something was last done long ago; if so, it counts as done, for other runs too."""
    try:
        if 0 <= time.time() - os.stat(marker).st_mtime < pause:  # noqa: PTH116 - as above
            return False
    except OSError:
        pass
    try:
        os.close(os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.utime(marker)
    except OSError:  # there is no store, or it is read-only
        return False
    return True


def _files_below(folder: str) -> Iterator[_File]:
    """Everything but folders and markers; what vanishes meanwhile is not there."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path)
            elif entry.name not in _MARKERS:
                status = entry.stat(follow_symlinks=False)
                blocks = -(-status.st_size // _BLOCK)
                yield _File(entry.path, blocks * _BLOCK, status.st_mtime)
        except OSError:
            continue


def _estimate(parts: Sequence[str]) -> int:
    """The size of a store, from some of its folders: digests are spread evenly over them."""
    first = os.urandom(1)[0]
    size = 0
    for step in range(_SAMPLE):
        name = f"{(first + step * (_FOLDERS // _SAMPLE)) % _FOLDERS:02x}"
        size += sum(one.size for part in parts for one in _files_below(f"{part}/{name}"))
    return size * _FOLDERS // _SAMPLE
