"""Files and folders: written aside and swapped, and only where something changed."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from commodore_py.adapters.reading import NotReadable, bytes_and_mode
from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import is_git_name
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .reach import Reach

MOST_FILES = 200_000
"""How many files and folders are read of one folder: links may lead to one of them in many ways."""
MOST_BYTES = 2 << 30
"""How many bytes they may have together."""

_EXECUTABLE = stat.S_IXUSR
_ASIDE = re.compile(r"\.commodore-\d+-[0-9a-f]{8}\.new")


def aside_of(path: Path) -> Path:
    """A new name beside a path, recognized as temporary by every process."""
    # The path's own name is left out, as it may be as long as names can be.
    return path.with_name(f".commodore-{os.getpid()}-{uuid4().hex[:8]}.new")


def is_aside(name: str) -> bool:
    """Whether a file or folder has a name of `aside_of`."""
    return _ASIDE.fullmatch(name) is not None


def asides_in(folder: Path, *, deep: bool = False) -> list[Path]:
    """The temporary entries of a folder; if no run is active, killed runs left them."""
    found = []
    for parent, folders, names in os.walk(folder):
        found += [Path(parent, name) for name in (*folders, *names) if is_aside(name)]
        folders[:] = [name for name in folders if deep and not is_aside(name)]
    return found


def write_if_changed(
    path: Path, content: bytes, *, executable: bool | None = None, private: bool = False
) -> bool:
    """Write a file by way of a sibling, unless it has that content already.

    Only its owner may read a new file that is `private`.
    """
    there = _status(path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        remove(path)
        there = None
    if there is None or there.st_size != len(content) or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = aside_of(path)
        try:
            if private:
                aside.touch(0o600)
            aside.write_bytes(content)
            if there is not None:
                aside.chmod(stat.S_IMODE(there.st_mode))
            aside.replace(path)
        except OSError as error:
            with suppress(OSError):
                aside.unlink()
            error.filename, error.filename2 = str(path), None
            raise
    elif executable is None or bool(there.st_mode & _EXECUTABLE) == executable:
        return False
    if executable is not None:
        mode = path.stat().st_mode
        path.chmod(mode | 0o111 if executable else mode & ~0o111)
    return True


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; what a link points to stays."""
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def link(path: Path, target: Path) -> None:
    """Make `path` a relative link to `target`, unless it is one already."""
    if not target.exists():
        raise CommodoreError(f"cannot link to {target}: it does not exist", where=str(path))
    text = os.path.relpath(target, path.parent)
    if path.is_symlink() and path.readlink() == Path(text):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.exists():
        remove(path)
    path.symlink_to(text)


def read_tree(folder: Path, reach: Reach | None = None) -> Tree:
    """Everything below a folder; links are followed, as a copy would, within `reach`.

    There, a repository's own folder counts as empty: its settings may hold credentials.
    """
    return _Reading(reach).tree(os.fspath(folder))


def write_tree(
    folder: Path,
    tree: Tree,
    *,
    below: PurePosixPath | None = None,
    keep: frozenset[PurePosixPath] = frozenset(),
    dry_run: bool = False,
) -> dict[str, os.stat_result]:
    """Make a folder hold exactly this tree, or only the part `below` a path of it.

    Entries directly in the folder that are named in `keep` stay as they are. Returns what was
    removed or replaced, as it was; in a dry run, what would be.
    """
    if folder.is_symlink():
        raise CommodoreError(
            "this is a link, but everything that is there would be replaced",
            where=f"{folder} -> {folder.readlink()}",
            hint="remove the link",
        )
    place = _Place(os.fspath(folder), tree, below, frozenset(map(str, keep)))
    if dry_run:
        return place.would_go() if folder.is_dir() else {}
    folder.mkdir(parents=True, exist_ok=True)
    for path in place.sweep():
        remove(Path(path))
    for path in place.missing_folders():
        Path(path).mkdir(parents=True, exist_ok=True)
    for path, entry in place.differing():
        write_if_changed(Path(path), entry.content, executable=entry.executable)
    return place.gone


class _Reading:
    """A folder while it is read, with what there is left of its limits."""

    def __init__(self, reach: Reach | None) -> None:
        self._reach = reach
        self._entries: dict[PurePosixPath, Entry] = {}
        self._empty: set[PurePosixPath] = set()
        self._files, self._bytes = MOST_FILES, MOST_BYTES

    def tree(self, folder: str) -> Tree:
        real = self._reach.real_folder(folder) if self._reach else os.path.realpath(folder)
        self._read_folder(folder, real, "", ())
        return Tree(self._entries, frozenset(self._empty))

    def _read_folder(self, folder: str, real: str, prefix: str, jumps: tuple[str, ...]) -> None:
        """Read a folder that was reached by links at `jumps`."""
        try:
            with os.scandir(real) as found:
                children = sorted(found, key=lambda child: child.name)
        except OSError as error:
            raise _unreadable(folder, error) from error
        if not children and prefix:
            self._empty.add(PurePosixPath(prefix))
        for child in children:
            self._files -= 1
            path, below = (
                f"{folder}/{child.name}",
                f"{prefix}/{child.name}" if prefix else child.name,
            )
            if self._files < 0:
                raise NotReadable(f"the folder holds more than {MOST_FILES:,} files", where=path)
            if self._reach and is_git_name(child.name):
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
        real = self._reach.real_folder(link) if self._reach else real
        self._read_folder(path, real, below, jumps)

    def _read_file(self, path: str, there: str, below: str) -> None:
        read = self._reach.read_with_mode if self._reach else bytes_and_mode
        try:
            content, mode = read(there)
        except OSError as error:
            raise _unreadable(path, error) from error
        self._bytes -= len(content)
        if self._bytes < 0:
            raise NotReadable(f"the folder holds more than {MOST_BYTES >> 30} GiB", where=path)
        self._entries[PurePosixPath(below)] = Entry(content, executable=bool(mode & _EXECUTABLE))


def _unreadable(path: str, error: OSError) -> NotReadable:
    return NotReadable(f"cannot read: {error.strerror}", where=path)


class _Place:
    """A folder, and what it shall hold.

    Paths are strings here: creating a `Path` takes longer than the system call.
    """

    def __init__(
        self, folder: str, tree: Tree, below: PurePosixPath | None, keep: frozenset[str]
    ) -> None:
        self._folder = folder
        self._keep = keep
        prefix = f"{below}/" if below else ""
        cut = len(prefix)
        self._files = {
            path[cut:]: entry for path, entry in _texts(tree.items()) if path.startswith(prefix)
        }
        self._folders = {
            path[cut:] for path in map(str, tree.folders()) if path.startswith(prefix)
        } - {"."}
        self._there: set[str] = set()
        self._status: dict[str, os.stat_result] = {}
        self.gone: dict[str, os.stat_result] = {}

    def sweep(self) -> tuple[str, ...]:
        """See what is there; returns what is not wanted."""
        return tuple(self._sweep(self._folder, ""))

    def would_go(self) -> dict[str, os.stat_result]:
        """What would be removed or replaced."""
        self.sweep()
        list(self.differing())
        return self.gone

    def missing_folders(self) -> Iterator[str]:
        """Folders to be made, those above before those below them."""
        return (f"{self._folder}/{path}" for path in sorted(self._folders - self._there))

    def differing(self) -> Iterator[tuple[str, Entry]]:
        """Files that are not as they shall be."""
        for path, entry in self._files.items():
            full = f"{self._folder}/{path}"
            found = self._status.get(path)
            if not _is_same(full, found, entry):
                if found is not None:
                    self.gone[path] = found
                yield full, entry

    def _sweep(self, folder: str, prefix: str) -> Iterator[str]:
        with os.scandir(folder) as found:
            children = list(found)
        for child in children:
            here = prefix + child.name
            if here in self._keep:
                continue
            if here in self._folders and child.is_dir(follow_symlinks=False):
                self._there.add(here)
                yield from self._sweep(child.path, f"{here}/")
            elif here not in self._files or child.is_symlink():
                self.gone[here] = child.stat(follow_symlinks=False)
                yield child.path
            else:
                self._status[here] = child.stat(follow_symlinks=False)


def _texts(entries: Iterable[tuple[PurePosixPath, Entry]]) -> Iterator[tuple[str, Entry]]:
    return ((str(path), entry) for path, entry in entries)


def _is_same(path: str, status: os.stat_result | None, entry: Entry) -> bool:
    if status is None or not stat.S_ISREG(status.st_mode):
        return False
    if status.st_size != len(entry.content):
        return False
    if bool(status.st_mode & _EXECUTABLE) != entry.executable:
        return False
    return _content(path, status.st_size) == entry.content


def _content(path: str, size: int) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, size + 1)
    finally:
        os.close(file)


def is_executable(path: Path) -> bool:
    """Whether its owner may execute a file."""
    return bool(path.stat().st_mode & _EXECUTABLE)
