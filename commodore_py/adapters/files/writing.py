"""Files that are written aside and swapped, links, and what is removed; only where it differs.

Folders are opened first, and what happens in them goes by their descriptor: should a folder be
replaced by a link in the meantime, nothing is written or removed behind that link.
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

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXECUTABLE = stat.S_IXUSR
_ALL_EXECUTE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_CONTENT = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
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
    asides = []
    for parent, folders, names in os.walk(folder):
        asides += [Path(parent, name) for name in (*folders, *names) if is_aside(name)]
        folders[:] = [name for name in folders if deep and not is_aside(name)]
    return asides


@contextmanager
def opened_below(root: Path | int, path: str) -> Iterator[int]:
    """The descriptor of a folder below a root; a link on the way there is an error."""
    opened = os.dup(root) if isinstance(root, int) else os.open(root, _FOLDER)
    try:
        for name in filter(None, path.split("/")):
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=opened)
            os.close(opened)
            opened = inner
        yield opened
    finally:
        os.close(opened)


def write_if_changed(
    path: Path, content: bytes, *, executable: bool | None = None, private: bool = False
) -> bool:
    """Write a file by way of a sibling, unless it has that content already.

    Only its owner may read a new file that is `private`.
    """
    try:
        opened = os.open(path.parent, _FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = os.open(path.parent, _FOLDER)
    try:
        return write_in(opened, path.name, content, executable=executable, private=private)
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        os.close(opened)


def write_in(
    opened: int,
    name: str,
    content: bytes,
    *,
    executable: bool | None = None,
    private: bool = False,
) -> bool:
    """The same in an open folder."""
    status = _status_in(opened, name)
    if status is not None and not stat.S_ISREG(status.st_mode):
        remove_in(opened, name)
        status = None
    if status is None or differs(opened, name, status, content):
        _swap_in(opened, name, content, status, executable=executable, private=private)
        return True
    if executable is None or bool(status.st_mode & _EXECUTABLE) == executable:
        return False
    mode = _mode(status.st_mode, executable=executable)
    os.chmod(name, mode, dir_fd=opened)
    return True


def differs(
    opened: int,
    name: str,
    status: os.stat_result,
    content: bytes,
    *,
    executable: bool | None = None,
) -> bool:
    """Whether a file of a folder has another content or mode."""
    if executable is not None and bool(status.st_mode & _EXECUTABLE) != executable:
        return True
    if status.st_size != len(content):
        return True
    file = os.open(name, _CONTENT, dir_fd=opened)
    try:
        return os.read(file, status.st_size + 1) != content
    finally:
        os.close(file)


def _swap_in(
    opened: int,
    name: str,
    content: bytes,
    before: os.stat_result | None,
    *,
    executable: bool | None,
    private: bool,
) -> None:
    """Write a sibling, which takes the place of what was there `before`."""
    aside = _aside_name()
    try:
        file = os.open(aside, _NEW, 0o600 if private else 0o666, dir_fd=opened)
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
        os.replace(aside, name, src_dir_fd=opened, dst_dir_fd=opened)
    except OSError:
        with suppress(OSError):
            os.unlink(aside, dir_fd=opened)
        raise


def _mode(mode: int, *, executable: bool) -> int:
    return mode | _ALL_EXECUTE if executable else mode & ~_ALL_EXECUTE


def _status_in(opened: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=opened, follow_symlinks=False)
    except FileNotFoundError:
        return None


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; what a link points to stays."""
    if not os.path.lexists(path):
        return
    with opened_below(path.parent, "") as opened:
        try:
            remove_in(opened, path.name)
        except OSError as error:
            error.filename = os.path.join(path.parent, error.filename or path.name)  # noqa: PTH118 - text
            raise


def remove_in(opened: int, name: str) -> None:
    """The same in an open folder."""
    status = _status_in(opened, name)
    if status is not None and stat.S_ISDIR(status.st_mode):
        shutil.rmtree(name, dir_fd=opened)
    elif status is not None:
        os.unlink(name, dir_fd=opened)


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


def is_executable(path: Path) -> bool:
    """Whether its owner may execute a file."""
    return bool(path.stat().st_mode & _EXECUTABLE)
