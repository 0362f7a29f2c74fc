"""Git's index: tracked files with the times and sizes of their last refresh."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNATURE = b"DIRC"
_VERSIONS = (2, 3)
_FIXED = struct.Struct(">10I20sH")
_EXTENDED = 0x4000
_STAGES = 0x3000
_FLAGGED = 0x8000 | _EXTENDED
_SUM = 20
_BITS = 0xFFFFFFFF
_SECOND = 1_000_000_000


class UnknownIndex(ValueError):
    """An index that only Git itself can read."""


Seen = tuple[int, int, int, int]
"""Inode, size, mtime, ctime, as far as Git keeps them."""


def seen_of(inode: int, size: int, mtime: int, ctime: int) -> Seen:
    """The same of a file on disk."""
    return inode & _BITS, size & _BITS, mtime, ctime


class Tracked(NamedTuple):
    """A tracked file: its times and size in the index, and its content."""

    name: bytes
    seen: Seen
    mode: int
    blob: bytes
    flagged: bool
    """Whether Git is set not to check it, or not to take it as it is."""


def files_in(index: bytes) -> Mapping[str, Seen]:
    """Each tracked file, with its times and size."""
    return {one.name.decode(errors="surrogateescape"): one.seen for one in tracked_in(index)[0]}


def tracked_in(index: bytes) -> tuple[list[Tracked], str]:
    """All that is tracked, and the tree that it makes up if Git noted that.

    See gitformat-index(5).
    """
    signature, version, count = struct.unpack_from(">4sII", index)
    if signature != _SIGNATURE or version not in _VERSIONS:
        raise UnknownIndex(version)
    found: list[Tracked] = []
    at = 12
    for _ in range(count):
        fields = _FIXED.unpack_from(index, at)
        changed, changed_ns, modified, modified_ns, _, inode, mode, _, _, size, blob, flags = fields
        start = at + _FIXED.size + (2 if flags & _EXTENDED else 0)
        if flags & _STAGES:
            raise UnknownIndex("a merge is not done")
        end = index.index(b"\0", start)
        times = (modified * _SECOND + modified_ns, changed * _SECOND + changed_ns)
        flagged = bool(flags & _FLAGGED)
        found.append(Tracked(index[start:end], (inode, size, *times), mode, blob, flagged))
        at += (end - at) // 8 * 8 + 8
    return found, _tree_noted(index, at)


def _tree_noted(index: bytes, at: int) -> str:
    """The name of the root's tree, by the extension that keeps names of trees."""
    tree = ""
    while at + 8 <= len(index) - _SUM:
        kind, size = struct.unpack_from(">4sI", index, at)
        if kind[:1].islower():
            raise UnknownIndex("some of it is elsewhere")
        if kind == b"TREE":
            # An empty name, how many files there are (or -1), how many folders, and the tree.
            head, _, rest = index[at + 8 : at + 8 + size].partition(b"\n")
            tree = "" if head.startswith(b"\0-") else rest[:_SUM].hex()
        at += 8 + size
    return tree
