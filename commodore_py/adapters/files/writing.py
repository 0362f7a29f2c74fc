"""Files that are written aside and swapped, links, and what is removed; only where it differs.

Folders are opened first, and what happens in them goes by their descriptor.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import write_all
from commodore_py.errors import CommodoreError

from .opening import LinkInTheWay, opened, refuse_link

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXECUTABLE = stat.S_IXUSR
_ALL_EXECUTE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_END = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_CONTENT = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
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
    """Return whether a file or folder has a name of `aside_of`."""
    return _ASIDE.fullmatch(name) is not None


def asides_in(folder: Path, *, deep: bool = False) -> list[Path]:
    """The temporary entries of a folder; if no run is active, killed runs left them."""
    asides = []
    for parent, folders, names in os.walk(folder):
        asides += [Path(parent, name) for name in (*folders, *names) if is_aside(name)]
        folders[:] = [name for name in folders if deep and not is_aside(name)]
    return asides


def write_if_changed(
    path: Path, content: bytes, *, executable: bool | None = None, private: bool = False
) -> bool:
    """Write a file by way of a sibling, unless it has that content and mode already.

    Only its owner may read a new file that is `private`.
    """
    with named(path), opened(path.parent, make=True) as folder:
        return write_in(folder, path.name, content, executable=executable, private=private)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors name a file by its whole path, although it is reached by a descriptor."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


def write_in(
    folder: int,
    name: str,
    content: bytes,
    *,
    executable: bool | None = None,
    private: bool = False,
) -> bool:
    """Do it in an open folder."""
    before = _status_in(folder, name)
    if before is not None and not stat.S_ISREG(before.st_mode):
        remove_in(folder, name)
        before = None
    if before is not None and _is_same(folder, name, before, content, executable=executable):
        return False
    aside = _aside_name()
    try:
        file = os.open(aside, _NEW, 0o600 if private else 0o666, dir_fd=folder)
        try:
            write_all(file, content)
            if before is not None or executable:  # a new file is not executable
                mode = (os.fstat(file) if before is None else before).st_mode
                if executable is not None:
                    mode = mode | _ALL_EXECUTE if executable else mode & ~_ALL_EXECUTE
                os.fchmod(file, stat.S_IMODE(mode))
        finally:
            os.close(file)
        os.replace(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise
    return True


def append(path: Path, content: bytes) -> None:
    """Add to the end of a file, or make it; what a link points to is not written."""
    refuse_link(path)
    with named(path), opened(path.parent, make=True) as folder:
        file = os.open(path.name, _END, 0o666, dir_fd=folder)
        try:
            write_all(file, content)
        finally:
            os.close(file)


def _is_same(
    folder: int, name: str, status: os.stat_result, content: bytes, *, executable: bool | None
) -> bool:
    """Return whether a file of a folder has this content and mode."""
    if executable is not None and bool(status.st_mode & _EXECUTABLE) != executable:
        return False
    if status.st_size != len(content):
        return False
    file = os.open(name, _CONTENT, dir_fd=folder)
    try:
        return os.read(file, status.st_size + 1) == content
    finally:
        os.close(file)


def _status_in(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; what a link points to stays."""
    if not os.path.lexists(path):
        return
    with opened(path.parent) as folder:
        try:
            remove_in(folder, path.name)
        except OSError as error:
            error.filename = os.path.join(path.parent, error.filename or path.name)  # noqa: PTH118 - text
            raise


def remove_at_once(path: Path) -> None:
    """Remove a folder whose name is free at once: half of it would look like deleted files."""
    aside = aside_of(path)
    rename(path, aside)
    remove(aside)


def remove_in(folder: int, name: str) -> None:
    """Do it in an open folder."""
    status = _status_in(folder, name)
    if status is not None and stat.S_ISDIR(status.st_mode):
        shutil.rmtree(name, dir_fd=folder)
    elif status is not None:
        os.unlink(name, dir_fd=folder)


def remove_empty(path: Path) -> bool:
    """Remove a folder with nothing in it; returns whether there was one."""
    try:
        with opened(path.parent) as folder:
            os.rmdir(path.name, dir_fd=folder)
    except (OSError, LinkInTheWay):
        return False
    return True


def rename(path: Path, new: Path) -> None:
    """Move a file, a link or a folder, over a file or an empty folder that is there."""
    with opened(path.parent) as folder, opened(new.parent, make=True) as target:
        os.replace(path.name, new.name, src_dir_fd=folder, dst_dir_fd=target)


def copy_file(file: Path, copy: Path) -> None:
    """Copy a file with its mode and times to a path where nothing is."""
    with file.open("rb") as source, opened(copy.parent, make=True) as folder:
        descriptor = os.open(copy.name, _NEW, 0o600, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            status = os.fstat(source.fileno())
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
            os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))


def link(path: Path, target: Path) -> None:
    """Make `path` a relative link to `target`, unless it is one already."""
    if not os.path.exists(target):  # noqa: PTH110 - a run makes hundreds of links
        raise CommodoreError(f"cannot link to {target}: it does not exist", where=str(path))
    write_link(path, os.path.relpath(target, path.parent))


def write_link(path: Path, text: str) -> None:
    """Make `path` a link with this text, in place of whatever is there."""
    with opened(path.parent, make=True) as folder:
        with suppress(OSError):
            if os.readlink(path.name, dir_fd=folder) == text:
                return
        remove_in(folder, path.name)
        os.symlink(text, path.name, dir_fd=folder)


def is_executable(path: Path) -> bool:
    """Return whether its owner may execute a file."""
    return bool(path.stat().st_mode & _EXECUTABLE)
