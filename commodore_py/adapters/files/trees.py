"""Trees read from folders, and folders that are made to hold a tree."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.reading import NotReadable, bytes_and_mode
from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import is_git_name
from commodore_py.model.tree import Entry, Tree

from .opening import opened, opened_in
from .reach import Reach
from .writing import named, remove_in, write_in

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FILES = 200_000
"""How many files and folders are read of one folder: links may lead to one of them in many ways."""
MOST_BYTES = 2 << 30
"""How many bytes they may have together."""

_EXECUTABLE = stat.S_IXUSR
_Folder: TypeAlias = "dict[str, _Folder | Entry]"


class Bounds:
    """A folder that no link in it may leave."""

    def __init__(self, folder: Path) -> None:
        self._root = os.path.realpath(folder).rstrip("/")

    def real_folder(self, path: str) -> str:
        """Where a folder or file really is."""
        real = os.path.realpath(path)
        if not f"{real}/".startswith(f"{self._root}/"):
            raise NotReadable(f"the link leads out of its folder, to {real}", where=path)
        return real

    def read_with_mode(self, path: str) -> tuple[bytes, int]:
        """Read a file, with its mode."""
        return bytes_and_mode(self.real_folder(path), follow=False)


def read_tree(folder: Path, reach: Reach | Bounds | None = None) -> Tree:
    """Everything below a folder; links are followed, as a copy would, within `reach`.

    In a `Reach`, a repository's own folder counts as empty: its settings may hold credentials.
    """
    return _Reading(reach or Bounds(Path("/"))).tree(os.fspath(folder))


def write_trees(folder: Path, trees: Mapping[str, Tree]) -> None:
    """Make a folder hold a folder for each tree, by their names."""
    entries = {
        PurePosixPath(name) / path: entry
        for name, tree in trees.items()
        for path, entry in tree.items()
    }
    folders = (PurePosixPath(name) / path for name in trees for path in trees[name].folders())
    write_tree(folder, Tree(entries, frozenset(folders)))


def write_tree(folder: Path, tree: Tree, *, keep: frozenset[str] = frozenset()) -> set[str]:
    """Make a folder hold exactly this tree.

    Entries directly in the folder that are named in `keep` stay as they are. Returns the paths of
    what was removed or replaced.
    """
    if folder.is_symlink():
        raise CommodoreError(
            "this is a link, but everything that is there would be replaced",
            where=f"{folder} -> {folder.readlink()}",
            hint="remove the link",
        )
    gone: set[str] = set()

    def fill(directory: int, wanted: _Folder, prefix: str, keep: frozenset[str]) -> None:
        """Remove what is not wanted in an open folder, and write what differs."""
        with os.scandir(directory) as entries:
            present = {entry.name: entry for entry in entries}
        for name in present.keys() - keep:
            target = wanted.get(name)
            is_folder = present[name].is_dir(follow_symlinks=False)
            if target is None or isinstance(target, dict) != is_folder:
                gone.add(f"{prefix}{name}")
                remove_in(directory, name)
                del present[name]
        for name, target in wanted.items():
            path = f"{prefix}{name}"
            if isinstance(target, dict):
                with opened_in(directory, name, make=name not in present) as inner:
                    # Nothing is removed from what is kept.
                    below = frozenset(os.listdir(inner) if name in keep else ())  # noqa: PTH208 - a descriptor
                    fill(inner, target, f"{path}/", below)
                continue
            content, executable = target
            with named(folder / path):
                if write_in(directory, name, content, executable=executable) and name in present:
                    gone.add(path)

    with (
        opened(folder.parent, make=True) as above,
        opened_in(above, folder.name, make=True) as directory,
    ):
        fill(directory, _nested(tree), "", keep)
    return gone


def _nested(tree: Tree) -> _Folder:
    top: _Folder = {}

    def folder_at(path: PurePosixPath) -> _Folder:
        found = top
        for part in path.parts:
            inner = found.setdefault(part, {})
            if isinstance(inner, Entry):
                raise ValueError(f"{path} is below a file")  # noqa: TRY004 - of the tree
            found = inner
        return found

    for path in tree.folders():
        folder_at(path)
    for path, entry in tree.items():
        folder_at(path.parent)[path.name] = entry
    return top


class _Reading:
    """A folder while it is read, with what there is left of its limits."""

    def __init__(self, reach: Reach | Bounds) -> None:
        self._reach = reach
        self._entries: dict[PurePosixPath, Entry] = {}
        self._empty: set[PurePosixPath] = set()
        self._files, self._bytes = MOST_FILES, MOST_BYTES

    def tree(self, folder: str) -> Tree:
        self._read_folder(folder, self._reach.real_folder(folder), "", ())
        return Tree(self._entries, frozenset(self._empty))

    def _read_folder(self, folder: str, real: str, prefix: str, jumps: tuple[str, ...]) -> None:
        """Read a folder that was reached by links at `jumps`."""
        try:
            with os.scandir(real) as entries:
                children = sorted(entries, key=lambda child: child.name)
        except OSError as error:
            raise _unreadable(folder, error) from error
        if not children and prefix:
            self._empty.add(PurePosixPath(prefix))
        for child in children:
            self._files -= 1
            path = f"{folder}/{child.name}"
            below = f"{prefix}/{child.name}" if prefix else child.name
            if self._files < 0:
                raise NotReadable(f"the folder holds more than {MOST_FILES:,} files", where=path)
            if isinstance(self._reach, Reach) and is_git_name(child.name):
                self._empty.add(PurePosixPath(below))
            elif child.is_dir(follow_symlinks=False):
                self._read_folder(path, child.path, below, jumps)
            elif not child.is_symlink():
                self._read_file(path, child.path, below)
            else:
                self._follow(path, child.path, below, (*jumps, real))

    def _follow(self, path: str, link: str, below: str, jumps: tuple[str, ...]) -> None:
        real = os.path.realpath(link)
        if not os.path.isdir(real):  # noqa: PTH112 - a text
            if not os.path.lexists(real):
                raise NotReadable(f"the link leads nowhere: {os.readlink(link)}", where=path)  # noqa: PTH115 - as above
            self._read_file(path, link, below)
            return
        if any(f"{jump}/".startswith(f"{real.rstrip('/')}/") for jump in jumps):
            raise NotReadable(f"the link leads to a folder above it: {real}", where=path)
        self._read_folder(path, self._reach.real_folder(link), below, jumps)

    def _read_file(self, path: str, real: str, below: str) -> None:
        try:
            content, mode = self._reach.read_with_mode(real)
        except OSError as error:
            raise _unreadable(path, error) from error
        self._bytes -= len(content)
        if self._bytes < 0:
            raise NotReadable(f"the folder holds more than {MOST_BYTES >> 30} GiB", where=path)
        self._entries[PurePosixPath(below)] = Entry(content, executable=bool(mode & _EXECUTABLE))


def _unreadable(path: str, error: OSError) -> NotReadable:
    return NotReadable(f"cannot read: {error.strerror}", where=path)
