"""Clean checkouts: by their index, or unchanged since `git status` reported no change."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.git.layout import by_program
from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.git.status import tracked_if_clean
from commodore_py.adapters.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NOTE = "commodore-clean"
# A file that was changed just now may be changed again without its times telling.
_SETTLED = 2_000_000_000


def is_clean(
    worktree: Path, git_folder: str | Path, clone: Path, commit: str, *, untracked: bool
) -> bool:
    """Whether a checkout is clean by its index, or unchanged since `git status` found it clean.

    With `untracked`, all files of the checkout count, otherwise only the tracked files.
    """
    if by_program():
        return False
    try:
        tracked = tracked_if_clean(worktree, git_folder, clone, commit)
        if tracked is not None and not (untracked and _has_more(worktree, tracked)):
            return True
        digest, _, names = bytes_of(f"{git_folder}/{_NOTE}").partition(b"\0")
        paths = _everything(worktree) if untracked else _with_folders(names.split(b"\0"))
        return digest == _digest(worktree, git_folder, commit, paths, untracked=untracked)[0]
    except OSError:
        return False


class CleanCheck:
    """The state of a checkout just before `git status`."""

    def __init__(
        self, worktree: Path, git_folder: Path, commit: str, *, untracked: bool = False
    ) -> None:
        self._note, self._text = git_folder / _NOTE, b""
        index = git_folder / "index"
        if by_program() or not index.is_file():
            return
        if index.stat().st_mtime_ns + _SETTLED > time.time_ns():
            return  # just checked out
        names = b"" if untracked else git_bytes(worktree, "ls-files", "-z").removesuffix(b"\0")
        try:
            paths = _everything(worktree) if untracked else _with_folders(names.split(b"\0"))
            digest, newest = _digest(worktree, git_folder, commit, paths, untracked=untracked)
        except OSError:
            return
        if digest and newest + _SETTLED < time.time_ns():
            self._text = digest + b"\0" + names

    def record(self) -> None:
        """Git found no change: skip the check as long as nothing changes."""
        if self._text:
            write_if_changed(self._note, self._text)


def _digest(
    worktree: Path, git_folder: str | Path, commit: str, paths: Iterable[bytes], *, untracked: bool
) -> tuple[bytes, int]:
    """One digest for all that decides, and when the last of it was changed; may be empty."""
    seen: list[object] = [commit, untracked, bytes_of(f"{git_folder}/index")]
    if untracked:
        seen.append(_rules(git_folder))
    root, newest = os.fsencode(worktree), 0
    for path in paths:
        try:
            found = os.lstat(b"%s/%s" % (root, path.removesuffix(b"/")))
        except OSError:
            seen.append((path, None))
            continue
        if path.endswith(b"/"):
            seen.append((path, found.st_mode, found.st_ino))
            continue
        if stat.S_ISDIR(found.st_mode):
            return b"", 0  # a submodule: what is in it counts, too
        times = (found.st_mtime_ns, found.st_ctime_ns)
        newest = max(newest, *times)
        seen.append((path, found.st_mode, found.st_ino, found.st_size, times))
    return hashlib.sha256(repr(seen).encode()).hexdigest().encode(), newest


def _with_folders(names: list[bytes]) -> list[bytes]:
    """Files, and the folders that they are in; those end with a slash."""
    folders: set[bytes] = set()
    for name in names:
        folder = name
        while (end := folder.rfind(b"/")) > 0:
            folder = folder[:end]
            if folder + b"/" in folders:
                break
            folders.add(folder + b"/")
    return [*sorted(folders), *names]


def _has_more(worktree: Path, names: list[bytes]) -> bool:
    """Whether there are files that Git does not keep; its rules may ignore them."""
    return not {one for one in _everything(worktree) if one[-1:] != b"/"} <= set(names)


def _everything(worktree: Path) -> list[bytes]:
    """All files and folders in a checkout but Git's own; folders end with a slash."""
    return sorted(_below(os.fsencode(worktree), b""))


def _below(root: bytes, folder: bytes) -> Iterator[bytes]:
    with os.scandir(b"%s/%s" % (root, folder)) as entries:
        for entry in entries:
            name = folder + entry.name
            if name == b".git":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield name + b"/"
                yield from _below(root, name + b"/")
            else:
                yield name


def _rules(git_folder: str | Path) -> bytes:
    """What the clone's own rules say that Git ignores."""
    try:
        return bytes_of(f"{git_folder}/info/exclude")
    except FileNotFoundError:
        return b""
