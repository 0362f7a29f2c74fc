"""Files and folders: written aside and swapped, and only where something changed."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from itertools import count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import NotReadable, bytes_and_mode, write_all
from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import is_git_name
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .reach import Reach

MOST_FILES = 200_000
"""How many files and folders are read of one folder: links may lead to one of them in many ways."""
MOST_BYTES = 2 << 30
"""How many bytes they may have together."""

_EXECUTABLE = stat.S_IXUSR
_ALL_EXECUTE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_LAST_NUMBER = 0xFFFFFFFF
_numbers = count(int.from_bytes(os.urandom(4), "big"))
_ASIDE = re.compile(r"\.commodore-\d+-[0-9a-f]{8}\.new")


def aside_of(path: Path) -> Path:
    """A new name beside a path, recognized as temporary by every process."""
    return path.with_name(_aside_name())


def _aside_name() -> str:
    # The path's own name is left out, as it may be as long as names can be.
    return f".commodore-{os.getpid()}-{next(_numbers) & _LAST_NUMBER:08x}.new"


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
    return _write_if_changed(os.fspath(path), content, executable=executable, private=private)


def _write_if_changed(
    path: str, content: bytes, *, executable: bool | None, private: bool = False
) -> bool:
    there = _status(path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        remove(Path(path))
        there = None
    if there is None:
        folder = path[: path.rfind("/") + 1]
        if not os.path.isdir(folder or "."):  # noqa: PTH112 - a text
            Path(path).parent.mkdir(parents=True, exist_ok=True)
    if there is None or there.st_size != len(content) or _content(path, there.st_size) != content:
        _swap_in(path, content, there, executable=executable, private=private)
        return True
    if executable is None or bool(there.st_mode & _EXECUTABLE) == executable:
        return False
    os.chmod(path, _mode(there.st_mode, executable=executable))  # noqa: PTH101 - a text
    return True


def _swap_in(
    path: str,
    content: bytes,
    before: os.stat_result | None,
    *,
    executable: bool | None,
    private: bool,
) -> None:
    """Write a sibling, which takes the place of what was there `before`."""
    aside = path[: path.rfind("/") + 1] + _aside_name()
    try:
        file = os.open(aside, _NEW, 0o600 if private else 0o666)
        try:
            write_all(file, content)
            if before is not None or executable:  # a new file is not executable
                now = os.fstat(file).st_mode
                mode = now if before is None else before.st_mode
                if executable is not None:
                    mode = _mode(mode, executable=executable)
                if stat.S_IMODE(mode) != stat.S_IMODE(now):
                    os.fchmod(file, stat.S_IMODE(mode))
        finally:
            os.close(file)
        os.replace(aside, path)  # noqa: PTH105 - a text
    except OSError as error:
        with suppress(OSError):
            os.unlink(aside)  # noqa: PTH108 - as above
        error.filename, error.filename2 = path, None
        raise


def _mode(mode: int, *, executable: bool) -> int:
    return mode | _ALL_EXECUTE if executable else mode & ~_ALL_EXECUTE


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
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
    place = os.fspath(path)
    if not os.path.exists(target):  # noqa: PTH110 - a run makes hundreds of links
        raise CommodoreError(f"cannot link to {target}: it does not exist", where=place)
    folder = os.path.dirname(place)  # noqa: PTH120 - as above
    text = os.path.relpath(target, folder or ".")
    if os.path.lexists(place):
        if os.path.islink(place) and path.readlink() == Path(text):  # noqa: PTH114 - as above
            return
        remove(path)
    elif not os.path.isdir(folder or "."):  # noqa: PTH112 - as above
        path.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(text, place)  # noqa: PTH211 - as above


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
    prefix = f"{below}/" if below else ""
    cut = len(prefix)
    texts = ((str(path), entry) for path, entry in tree.items())
    files = {path[cut:]: entry for path, entry in texts if path.startswith(prefix)}
    folders = {path[cut:] for path in map(str, tree.folders()) if path.startswith(prefix)}
    place = _Place(os.fspath(folder), files, folders - {"."}, frozenset(map(str, keep)))
    return _written(folder, place, dry_run=dry_run)


def write_trees(
    folder: Path, trees: Mapping[str, Tree], *, dry_run: bool = False
) -> dict[str, os.stat_result]:
    """The same for a folder that holds a folder for each tree, by its name."""
    files = {
        f"{name}/{path}": entry for name, tree in trees.items() for path, entry in tree.items()
    }
    folders = {f"{name}/{path}" for name, tree in trees.items() for path in tree.folders()}
    tops = {f"{name}/." for name in trees}
    place = _Place(os.fspath(folder), files, folders - tops | trees.keys())
    return _written(folder, place, dry_run=dry_run)


def _written(folder: Path, place: _Place, *, dry_run: bool) -> dict[str, os.stat_result]:
    if folder.is_symlink():
        raise CommodoreError(
            "this is a link, but everything that is there would be replaced",
            where=f"{folder} -> {folder.readlink()}",
            hint="remove the link",
        )
    if dry_run:
        return place.would_go() if folder.is_dir() else {}
    folder.mkdir(parents=True, exist_ok=True)
    for path in place.sweep():
        remove(Path(path))
    for path in place.missing_folders():
        os.makedirs(path, exist_ok=True)  # noqa: PTH103 - a text
    for path, entry in place.differing():
        content, executable = entry
        # What is kept was not looked into.
        if path in place.gone or path.partition("/")[0] in place.keep:
            _write_if_changed(f"{place.folder}/{path}", content, executable=executable)
        else:
            _swap_in(f"{place.folder}/{path}", content, None, executable=executable, private=False)
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
        self,
        folder: str,
        files: Mapping[str, Entry],
        folders: set[str],
        keep: frozenset[str] = frozenset(),
    ) -> None:
        self.folder = folder
        self.keep = keep
        self._files = files
        self._folders = folders
        self._there: set[str] = set()
        self._status: dict[str, os.stat_result] = {}
        self.gone: dict[str, os.stat_result] = {}

    def sweep(self) -> tuple[str, ...]:
        """See what is there; returns what is not wanted."""
        return tuple(self._sweep(self.folder, ""))

    def would_go(self) -> dict[str, os.stat_result]:
        """What would be removed or replaced."""
        self.sweep()
        list(self.differing())
        return self.gone

    def missing_folders(self) -> Iterator[str]:
        """Folders to be made, those above before those below them."""
        return (f"{self.folder}/{path}" for path in sorted(self._folders - self._there))

    def differing(self) -> Iterator[tuple[str, Entry]]:
        """Files that are not as they shall be."""
        for path, entry in self._files.items():
            found = self._status.get(path)
            if found is None:
                yield path, entry
            elif not _is_same(f"{self.folder}/{path}", found, entry):
                self.gone[path] = found
                yield path, entry

    def _sweep(self, folder: str, prefix: str) -> Iterator[str]:
        with os.scandir(folder) as found:
            children = list(found)
        for child in children:
            here = prefix + child.name
            if here in self.keep:
                continue
            if here in self._folders and child.is_dir(follow_symlinks=False):
                self._there.add(here)
                yield from self._sweep(child.path, f"{here}/")
            elif here not in self._files or child.is_symlink():
                self.gone[here] = child.stat(follow_symlinks=False)
                yield child.path
            else:
                self._status[here] = child.stat(follow_symlinks=False)


def _is_same(path: str, status: os.stat_result, entry: Entry) -> bool:
    if not stat.S_ISREG(status.st_mode):
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
