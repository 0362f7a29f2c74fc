"""Git's index: tracked files with the times and sizes of their last refresh; read and written."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

_SIGNATURE = b"DIRC"
_VERSIONS = (2, 3)
_FIXED = struct.Struct(">10I20sH")
_EXTENDED = 0x4000
_STAGES = 0x3000
_FLAGGED = 0x8000 | _EXTENDED
_SUM = 20
_BITS = 0xFFFFFFFF
_SECOND = 1_000_000_000


_STAT = 40  # bytes of an entry that tell what the file was like
_LONGEST = 0xFFF


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


def written_index(
    before: bytes,
    files: Mapping[bytes, tuple[int, bytes]],
    trees: bytes,
    *,
    since: float,
    status: Callable[[bytes], os.stat_result | None],
) -> bytes:
    """An index of exactly these files: name to mode and content, see gitformat-index(5).

    Of files that stay as they were `before`, times and sizes are taken over, unless they may have
    changed together with that index, at a time `since`; of others, they are those of `status`, if
    the file is known to be as it is tracked. Git looks into files that have none.
    """
    known = _stats(before) if before else {}
    pieces = [struct.pack(">4sII", _SIGNATURE, 2, len(files))]
    for name in sorted(files):
        mode, blob = files[name]
        stat, *same = known.get(name, (b"", 0, b""))
        if same != [mode, blob] or struct.unpack_from(">I", stat, 8)[0] >= int(since):
            stat = _stat_of(mode, status(name))
        entry = stat + blob + struct.pack(">H", min(len(name), _LONGEST)) + name
        pieces += (entry, b"\0" * (8 - len(entry) % 8))
    if trees:
        pieces.append(struct.pack(">4sI", b"TREE", len(trees)) + trees)
    content = b"".join(pieces)
    return content + hashlib.sha1(content, usedforsecurity=False).digest()


def _stats(index: bytes) -> dict[bytes, tuple[bytes, int, bytes]]:
    """What the files were like, with mode and content."""
    found, at = {}, 12
    for _ in range(struct.unpack_from(">I", index, 8)[0]):
        fields = _FIXED.unpack_from(index, at)
        mode, blob, flags = fields[6], fields[10], fields[11]
        start = at + _FIXED.size + (2 if flags & _EXTENDED else 0)
        end = index.index(b"\0", start)
        found[index[start:end]] = (index[at : at + _STAT], mode, blob)
        at += (end - at) // 8 * 8 + 8
    return found


def _stat_of(mode: int, found: os.stat_result | None) -> bytes:
    if found is None:
        return struct.pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0)
    numbers = (
        *divmod(found.st_ctime_ns, _SECOND),
        *divmod(found.st_mtime_ns, _SECOND),
        *(found.st_dev, found.st_ino, mode, found.st_uid, found.st_gid, found.st_size),
    )
    return struct.pack(">10I", *(number & _BITS for number in numbers))
