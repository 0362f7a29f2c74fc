"""Whether the files of a checkout are those of its commit, as Git itself finds out.

It trusts the times and sizes in the index where they are surely older than the index, and reads
the other files. Where anything is out of the ordinary (filters, submodules, merges), the answer
is no: Git will know.
"""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import hashlib
import os
import stat
import struct
from typing import TYPE_CHECKING

from .files import bytes_of
from .index import UnknownIndex, seen_of, tracked_in
from .packs import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .index import Tracked

_LINK, _FILE, _PROGRAM = 0o120000, 0o100644, 0o100755


def tracked_if_clean(
    worktree: Path, git_folder: str | Path, clone: Path, commit: str
) -> list[bytes] | None:
    """The tracked files, if nothing is staged and all of them are as in the commit."""
    try:
        file = f"{git_folder}/index"
        written = os.stat(file).st_mtime_ns  # noqa: PTH116 - as above
        tracked, tree = tracked_in(bytes_of(file))
        if not tree or tree != tree_of(clone, commit):
            return None
        root = os.fsencode(worktree)
        # What is behind a link is no part of the checkout.
        folders = {one.name[: one.name.rfind(b"/") + 1] for one in tracked} - {b""}
        if not all(_is_folder(root, name) for name in _with_parents(folders)):
            return None
        if all(_is_as_tracked(root, one, written) for one in tracked):
            return [one.name for one in tracked]
    except (OSError, struct.error, UnknownIndex, ValueError):
        pass
    return None


def _with_parents(folders: Iterable[bytes]) -> set[bytes]:
    """Folders and those that they are in, without slashes at their ends."""
    found: set[bytes] = set()
    for name in folders:
        folder = name[:-1]
        while folder and folder not in found:
            found.add(folder)
            folder = folder[: max(folder.rfind(b"/"), 0)]
    return found


def _is_folder(root: bytes, name: bytes) -> bool:
    return stat.S_ISDIR(os.lstat(b"%s/%s" % (root, name)).st_mode)


def _is_as_tracked(root: bytes, one: Tracked, written: int) -> bool:
    path = b"%s/%s" % (root, one.name)
    found = os.lstat(path)
    if one.flagged or _mode_of(found.st_mode) != one.mode:
        return False
    now = seen_of(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    # What was written together with the index may have been written again at once.
    if now == one.seen and max(found.st_mtime_ns, found.st_ctime_ns) < written:
        return True
    content = os.readlink(path) if one.mode == _LINK else bytes_of(os.fsdecode(path))  # noqa: PTH115 - as above
    named = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    named.update(content)
    return named.digest() == one.blob


def _mode_of(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return _LINK
    if not stat.S_ISREG(mode):
        return 0
    return _PROGRAM if mode & stat.S_IXUSR else _FILE
