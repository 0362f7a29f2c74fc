"""Which objects a repository has, by the files that list them; None where that is in doubt."""

# Of so many files, Path takes longer than the system calls do.
# ruff: noqa: PTH110, PTH208
from __future__ import annotations

import os
import struct
from contextlib import suppress
from os.path import exists
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_INDEX_V2 = b"\xfftOc\0\0\0\2"
_NAMES = 8 + 1024
_WIDTH = 20
_COMMIT = 1
_FAR = 1 << 31


def is_unambiguous(git_folder: Path, start: str) -> bool | None:
    """Whether at most one object's name has this start of six digits or more."""
    objects = f"{git_folder}/objects"
    if exists(f"{objects}/info/alternates"):
        return None
    found: set[str] = set()
    try:
        with suppress(FileNotFoundError):
            found.update(start[:2] + name for name in os.listdir(f"{objects}/{start[:2]}"))
        found = {name for name in found if name.startswith(start)}
        for name in os.listdir(f"{objects}/pack"):
            if name.endswith(".idx"):
                found.update(_indexed(f"{objects}/pack/{name}", start))
    except (OSError, ValueError):
        return None
    return len(found) < 2  # noqa: PLR2004 - the plural


def is_packed_commit(git_folder: Path, name: str) -> bool:
    """Whether an object is in a pack, and surely a commit."""
    packs = f"{git_folder}/objects/pack"
    try:
        for file in os.listdir(packs):
            if file.endswith(".idx"):
                place = _indexed(f"{packs}/{file}", name).get(name)
                if place is not None:
                    return _kind_at(f"{packs}/{file.removesuffix('.idx')}.pack", place) == _COMMIT
    except (OSError, ValueError):
        pass
    return False


def _indexed(file: str, start: str) -> dict[str, int]:
    """The objects in a pack's index whose names begin so, and their places in the pack.

    See gitformat-pack(5). Places from 2 GiB on are those of places.
    """
    index = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        head = os.pread(index, _NAMES, 0)
        if len(head) < _NAMES or head[:8] != _INDEX_V2:
            raise ValueError("an index of another version")
        table = struct.unpack(">256I", head[8:])
        total = table[-1]
        if os.fstat(index).st_size < _NAMES + total * (_WIDTH + 8) + 2 * _WIDTH:
            raise ValueError("cut off")
        first = int(start[:2], 16)
        begin = table[first - 1] if first else 0
        count = table[first] - begin
        names = os.pread(index, count * _WIDTH, _NAMES + begin * _WIDTH).hex()
        places = os.pread(index, count * 4, _NAMES + total * (_WIDTH + 4) + begin * 4)
    finally:
        os.close(index)
    texts = (names[2 * _WIDTH * number :][: 2 * _WIDTH] for number in range(count))
    pairs = zip(texts, struct.unpack(f">{count}I", places), strict=True)
    return {text: place for text, place in pairs if text.startswith(start)}


def _kind_at(pack: str, place: int) -> int:
    """The kind that the head of an entry names, which may also be a difference to another."""
    file = os.open(pack, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(file, 1, place)[0] >> 4 & 7 if place < _FAR else 0
    finally:
        os.close(file)
