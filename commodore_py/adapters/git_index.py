"""What Git's index knows about files: their times and sizes when they were last seen clean."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNATURE = b"DIRC"
_VERSIONS = (2, 3)
_FIXED = struct.Struct(">10I20sH")
_EXTENDED = 0x4000
_STAGES = 0x3000
_BITS = 0xFFFFFFFF
_SECOND = 1_000_000_000


class UnknownIndex(ValueError):
    """An index that only Git itself can read."""


Seen = tuple[int, int, int, int]
"""Inode, size, mtime, ctime, as far as Git keeps them."""


def seen_of(inode: int, size: int, mtime: int, ctime: int) -> Seen:
    """The same of a file on disk."""
    return inode & _BITS, size & _BITS, mtime, ctime


def files_in(index: bytes) -> Mapping[str, Seen]:
    """Each file that is tracked, with what it looked like; see gitformat-index(5)."""
    signature, version, count = struct.unpack_from(">4sII", index)
    if signature != _SIGNATURE or version not in _VERSIONS:
        raise UnknownIndex(version)
    found: dict[str, Seen] = {}
    at = 12
    for _ in range(count):
        fields = _FIXED.unpack_from(index, at)
        changed, changed_ns, modified, modified_ns, _, inode, _, _, _, size, _, flags = fields
        start = at + _FIXED.size + (2 if flags & _EXTENDED else 0)
        if flags & _STAGES:
            raise UnknownIndex("a merge is not done")
        end = index.index(b"\0", start)
        found[index[start:end].decode(errors="surrogateescape")] = (
            inode,
            size,
            modified * _SECOND + modified_ns,
            changed * _SECOND + changed_ns,
        )
        at += (end - at) // 8 * 8 + 8
    return found
