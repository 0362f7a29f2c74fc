"""Files and folders: written aside and swapped, and only where something changed."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from commodore_py.errors import CommodoreError
from commodore_py.model import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXECUTABLE = stat.S_IXUSR
_ASIDE = re.compile(r"\.commodore-\d+-[0-9a-f]{8}\.new")


def aside_of(path: Path) -> Path:
    """A new name beside a path: what is made or discarded there is ours, whoever finds it."""
    # The path's own name is left out, as it may be as long as names can be.
    return path.with_name(f".commodore-{os.getpid()}-{uuid4().hex[:8]}.new")


def is_aside(name: str) -> bool:
    """Whether a file or folder has a name of `aside_of`."""
    return _ASIDE.fullmatch(name) is not None


def asides_in(folder: Path, *, deep: bool = False) -> list[Path]:
    """What lies aside in a folder; where nobody is at work, a run that was killed left it."""
    found = []
    for parent, folders, names in os.walk(folder):
        found += [Path(parent, name) for name in (*folders, *names) if is_aside(name)]
        folders[:] = [name for name in folders if deep and not is_aside(name)]
    return found


def write_if_changed(path: Path, content: bytes, *, executable: bool | None = None) -> bool:
    """Write a file by way of a sibling, unless it has that content already."""
    there = _status(path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        remove(path)
        there = None
    if there is None or there.st_size != len(content) or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = aside_of(path)
        try:
            aside.write_bytes(content)
            if there is not None:
                aside.chmod(stat.S_IMODE(there.st_mode))
            aside.replace(path)
        except OSError:
            with suppress(OSError):
                aside.unlink()
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


def link_or_copy(source: Path, target: Path) -> None:
    """Make a file that never changes appear in another place, too; whole, or not at all."""
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:  # another file system, or one that knows no hard links
        aside = aside_of(target)
        try:
            shutil.copy2(source, aside)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)


def read_tree(folder: Path) -> Tree:
    """Everything below a folder; links are followed, as a copy would."""
    entries: dict[PurePosixPath, Entry] = {}
    empty: set[PurePosixPath] = set()
    for path, relative in _walk(folder, PurePosixPath()):
        if path is None:
            empty.add(relative)
        else:
            entries[relative] = Entry(path.read_bytes(), executable=is_executable(path))
    return Tree(entries, frozenset(empty))


def write_tree(folder: Path, tree: Tree, *, keep: frozenset[PurePosixPath] = frozenset()) -> None:
    """Make a folder hold exactly this tree, touching only what differs.

    Entries directly in the folder that are named in `keep` stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted_folders = tree.folders()
    _sweep(folder, PurePosixPath(), tree, wanted_folders, keep)
    for relative in sorted(wanted_folders):
        (folder / relative).mkdir(parents=True, exist_ok=True)
    for relative, entry in tree.items():
        write_if_changed(folder / relative, entry.content, executable=entry.executable)


def _walk(folder: Path, relative: PurePosixPath) -> Iterator[tuple[Path | None, PurePosixPath]]:
    children = sorted(folder.iterdir())
    if not children and relative.parts:
        yield None, relative
    for child in children:
        if child.is_dir():
            yield from _walk(child, relative / child.name)
        else:
            yield child, relative / child.name


def _sweep(
    folder: Path,
    relative: PurePosixPath,
    tree: Tree,
    wanted_folders: frozenset[PurePosixPath],
    keep: frozenset[PurePosixPath],
) -> None:
    for child in folder.iterdir():
        here = relative / child.name
        if here in keep:
            continue
        if child.is_dir() and not child.is_symlink() and here in wanted_folders:
            _sweep(child, here, tree, wanted_folders, keep)
        elif here not in tree or child.is_symlink():
            remove(child)


def is_executable(path: Path) -> bool:
    """Whether its owner may execute a file."""
    return bool(path.stat().st_mode & _EXECUTABLE)
