"""Worktrees that Git called clean, and that nobody has touched since: no need to ask again."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.git import git_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NOTE = "commodore-clean"
# A file that was changed just now may be changed again without its times telling.
_SETTLED = 2_000_000_000


def is_known(worktree: Path, git_folder: Path, commit: str) -> bool:
    """Whether files, index and commit are what they were when Git found no change."""
    try:
        digest, _, names = (git_folder / _NOTE).read_bytes().partition(b"\0")
    except OSError:
        return False
    return digest == _digest(worktree, git_folder, commit, names.split(b"\0"))[0]


class Look:
    """A worktree as it was just before Git looked at it."""

    def __init__(self, worktree: Path, git_folder: Path, commit: str) -> None:
        self._note, self._text = git_folder / _NOTE, b""
        index = git_folder / "index"
        if not index.is_file() or index.stat().st_mtime_ns + _SETTLED > time.time_ns():
            return  # just checked out
        names = git_bytes(worktree, "ls-files", "-z").removesuffix(b"\0")
        digest, newest = _digest(worktree, git_folder, commit, names.split(b"\0"))
        if digest and newest + _SETTLED < time.time_ns():
            self._text = digest + b"\0" + names

    def was_clean(self) -> None:
        """Keep the look: Git found no change."""
        if self._text:
            write_if_changed(self._note, self._text)


def _digest(
    worktree: Path, git_folder: Path, commit: str, names: Iterable[bytes]
) -> tuple[bytes, int]:
    """One digest for all that decides, and when the last of it was changed."""
    try:
        digest = hashlib.sha256((git_folder / "index").read_bytes())
    except OSError:
        return b"", 0
    digest.update(commit.encode())
    root, newest = os.fsencode(worktree), 0
    folders = {os.path.dirname(name) for name in names}  # noqa: PTH120 - bytes, and many
    folders = {folder[:end] for folder in folders for end in _ends(folder)}
    for name in (*sorted(folders), *names):
        try:
            found = os.lstat(os.path.join(root, name))  # noqa: PTH118 - as above
        except OSError:
            digest.update(name + b"\0missing\0")
            continue
        kind = (found.st_mode, found.st_ino)
        if name in folders:
            digest.update(b"%s\0%d %d\0" % (name, *kind))
            continue
        if stat.S_ISDIR(found.st_mode):
            return b"", 0  # a submodule: what is in it counts, too
        times = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        newest = max(newest, *times[1:])
        digest.update(b"%s\0%d %d %d %d %d\0" % (name, *kind, *times))
    return digest.hexdigest().encode(), newest


def _ends(folder: bytes) -> Iterable[int]:
    """Where the names of a folder and of those around it end."""
    return [i for i in range(1, len(folder)) if folder[i : i + 1] == b"/"] + [len(folder)]
