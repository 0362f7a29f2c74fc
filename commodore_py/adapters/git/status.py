"""Which files of a checkout differ from its commit: by `git status`, or by Git's index.

The index is trusted as Git trusts it: times and sizes count where they are surely older than the
index, other files are read. Where anything is out of the ordinary (filters, submodules, merges,
flags), the git program must decide.
"""

# Of so many files, Path takes longer than the system calls do.
from __future__ import annotations

import hashlib
import os
import stat
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of

from .index import UnknownIndex, files_in, seen_of, tracked_in
from .layout import is_plain
from .objects import tree_of
from .program import git_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .index import Seen, Tracked
    from .repository import GitFolders

_TRACKED = "H"  # and nothing special about it
_LINK, _FILE, _PROGRAM = 0o120000, 0o100644, 0o100755


class Status(NamedTuple):
    """What a checkout is at, and how its files differ from that."""

    commit: str | None
    """None before the first commit."""
    branch: str | None
    """None where HEAD is detached."""
    changes: tuple[tuple[str, str], ...]
    """Pairs of what happened (`modified`, `untracked`, ...) and the path it happened to."""


def status(directory: Path, *, untracked: bool) -> Status:
    """What a checkout is at and what changed in it; ignored files are not mentioned."""
    kinds = "all" if untracked else "no"
    listing = git_bytes(
        directory,
        "status",
        *("--porcelain=v2", "--branch", "-z", "--no-renames", f"--untracked-files={kinds}"),
        env={"GIT_OPTIONAL_LOCKS": "0"},  # asking writes nothing
    )
    return parse_status(os.fsdecode(listing))


def parse_status(listing: str) -> Status:
    """Read what `git status --porcelain=v2 --branch -z --no-renames` prints (pure)."""
    headers: dict[str, str] = {}
    changes: list[tuple[str, str]] = []
    for entry in listing.split("\0"):
        match entry.split(" "):
            case ["#", header, *value]:
                headers[header] = " ".join(value)
            case ["?", *path]:
                changes.append(("untracked", " ".join(path)))
            case ["1", states, _, _, _, _, _, _, *path]:
                changes.append((_happened(states), " ".join(path)))
            case ["u", _, _, _, _, _, _, _, _, _, *path]:
                changes.append(("unmerged", " ".join(path)))
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    return Status(
        None if commit == "(initial)" else commit,
        None if branch == "(detached)" else branch,
        tuple(changes),
    )


def _happened(states: str) -> str:
    if "D" in states:
        return "deleted"
    return "added" if "A" in states else "modified"


def tracked_if_clean(
    worktree: Path, git_folder: str | Path, clone: Path, commit: str
) -> list[bytes] | None:
    """The tracked files, if nothing is staged and all of them are as in the commit."""
    if not is_plain(clone):
        return None
    try:
        file = f"{git_folder}/index"
        written = os.stat(file).st_mtime_ns
        tracked, tree = tracked_in(bytes_of(file))
        if not tree or tree != tree_of(clone, commit):
            return None
        root = os.fsencode(worktree)
        # What is behind a link is not part of the checkout.
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
    content = os.readlink(path) if one.mode == _LINK else bytes_of(os.fsdecode(path))
    named = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    named.update(content)
    return named.digest() == one.blob


def _mode_of(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return _LINK
    if not stat.S_ISREG(mode):
        return 0
    return _PROGRAM if mode & stat.S_IXUSR else _FILE


_NEVER = (-1, -1, -1, -1)


def seen_in_index(worktree: Path, folders: GitFolders) -> Mapping[str, Seen] | None:
    """All tracked files with times and sizes as Git knows them; None if that cannot be known.

    Of those that are modified, or that Git does not check, no file on disk has these.
    """
    if is_plain(folders.shared):
        with suppress(OSError, struct.error, ValueError):
            return files_in(bytes_of(f"{folders.own}/index"))
    try:
        modified = set(_names(worktree, "diff-files", "--name-only", "--no-renames"))
        listed = (one.partition(" ")[::2] for one in _names(worktree, "ls-files", "-v"))
        return {
            name: _seen_now(worktree / name) if tag == _TRACKED and name not in modified else _NEVER
            for tag, name in listed
        }
    except (ProgramFailed, OSError):
        return None


def _names(worktree: Path, *command: str) -> list[str]:
    return os.fsdecode(git_bytes(worktree, *command, "-z")).split("\0")[:-1]


def _seen_now(path: Path) -> Seen:
    found = path.lstat()
    return seen_of(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
