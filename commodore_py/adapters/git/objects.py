"""Objects of a repository, by the files that list them; None where the program is needed."""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from os.path import exists
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import bytes_of

from .layout import is_plain

if TYPE_CHECKING:
    from pathlib import Path

_INDEX_V2 = b"\xfftOc\0\0\0\2"
_NAMES = 8 + 1024
_WIDTH = 20
_COMMIT = 1
_FAR = 1 << 31
_ENOUGH = 4096


def is_unambiguous(git_folder: Path, start: str) -> bool | None:
    """Whether at most one object's name has this start of six digits or more."""
    if not is_plain(git_folder):
        return None
    found: set[str] = set()
    try:
        for objects in stores(f"{git_folder}/objects"):
            with suppress(FileNotFoundError):
                names = (start[:2] + name for name in os.listdir(f"{objects}/{start[:2]}"))
                found.update(name for name in names if name.startswith(start))
            for name in os.listdir(f"{objects}/pack"):
                if name.endswith(".idx"):
                    found.update(_indexed(f"{objects}/pack/{name}", start))
    except (OSError, ValueError):
        return None
    return len(found) < 2  # noqa: PLR2004 - the plural


def stores(objects: str) -> list[str]:
    """A folder of objects, and those that it borrows from; ValueError if the program must say."""
    alternates = f"{objects}/info/alternates"
    if not exists(alternates):
        return [objects]
    lenders = os.fsdecode(bytes_of(alternates)).splitlines()
    for one in lenders:
        more = f"{one}/info/alternates"
        further = os.fsdecode(bytes_of(more)).splitlines() if exists(more) else ()
        if not one.startswith("/") or not set(lenders).issuperset(further):
            raise ValueError(one)  # a relative path, a comment, or one that borrows elsewhere
    return [objects, *lenders]


def is_packed_commit(git_folder: Path, name: str) -> bool:
    """Whether an object is in a pack, and surely a commit."""
    return bool(tree_of(git_folder, name))


def tree_of(git_folder: Path, commit: str) -> str:
    """The tree of a commit; empty if it is not a commit, or the git program is needed."""
    if not is_plain(git_folder):
        return ""
    try:
        for objects in stores(f"{git_folder}/objects"):
            tree = _tree_in_store(objects, commit)
            if tree is not None:
                return tree
    except (OSError, ValueError, zlib.error):
        pass
    return ""


def _tree_in_store(objects: str, commit: str) -> str | None:
    """The tree, or an empty text as above; None if the object is not in this folder."""
    with suppress(FileNotFoundError):
        loose = bytes_of(f"{objects}/{commit[:2]}/{commit[2:]}")
        kind, _, text = zlib.decompressobj().decompress(loose, _ENOUGH).partition(b"\0")
        return _tree_in(text) if kind.startswith(b"commit ") else ""
    packs = f"{objects}/pack"
    for file in os.listdir(packs):
        place = file.endswith(".idx") and _indexed(f"{packs}/{file}", commit).get(commit)
        if place:
            return _packed_tree(f"{packs}/{file.removesuffix('.idx')}.pack", place)
    return None


def _packed_tree(pack: str, place: int) -> str:
    file = os.open(pack, os.O_RDONLY | os.O_CLOEXEC)
    try:
        entry = os.pread(file, _ENOUGH, place) if place < _FAR else b""
    finally:
        os.close(file)
    # The entry may also be a difference to another object.
    if not entry or entry[0] >> 4 & 7 != _COMMIT:
        return ""
    start = next(number for number, byte in enumerate(entry) if not byte & 0x80) + 1
    return _tree_in(zlib.decompressobj().decompress(entry[start:], _ENOUGH))


def _tree_in(commit: bytes) -> str:
    label, _, rest = commit.partition(b" ")
    return rest[: 2 * _WIDTH].decode("ascii") if label == b"tree" else ""


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


def lists(index: bytes, name: str) -> bool:
    """Whether the index of a pack has an object; False also for indexes of other versions."""
    return place_in(index, name) is not None


def place_in(index: bytes, name: str) -> int | None:
    """The place of an object in a pack, by the pack's index; None also for other versions."""
    if index[:8] != _INDEX_V2:
        return None
    first = int(name[:2], 16)
    begin, end = struct.unpack_from(">2I", b"\0" * 4 + index[8:_NAMES], 4 * first)
    names, wanted = index[_NAMES + begin * _WIDTH : _NAMES + end * _WIDTH], bytes.fromhex(name)
    at = names.find(wanted)
    while at % _WIDTH and at >= 0:
        at = names.find(wanted, at + 1)
    if at < 0:
        return None
    (total,) = struct.unpack_from(">I", index, _NAMES - 4)
    number = begin + at // _WIDTH
    place: int = struct.unpack_from(">I", index, _NAMES + total * (_WIDTH + 4) + number * 4)[0]
    return place


def link_or_copy(source: Path, target: Path) -> None:
    """Have a file of objects in another repository, too; whole, or not at all."""
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:  # another file system, or one that knows no hard links
        aside = target.with_name(f"tmp_{target.name}")  # a name that Git tidies up
        try:
            import shutil

            shutil.copy2(source, aside)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)
