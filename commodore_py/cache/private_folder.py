"""The folder of a store: private to one user, with files that are written whole."""

from __future__ import annotations

import errno
import logging
import os
import stat
import time
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import write_all

from .trust import OTHERS_MAY_WRITE, Distrust, close, distrust_in, log_once, reason

if TYPE_CHECKING:
    from collections.abc import Iterable

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# Without O_NONBLOCK, opening a pipe in place of a file would block.
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_FILE_OF_OURS = frozenset({errno.ELOOP, errno.EACCES, errno.ENXIO})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_DAY = 86400.0
_ATTEMPTS = 8
_NUMBERS = count()


class PrivateFolder:
    """A folder of this user only; it may be deleted at any time, and is created by writing."""

    def __init__(self, folder: str, inside: Iterable[str]) -> None:
        self.folder = folder
        self._inside = tuple(f"{folder}/{name}" for name in inside)
        self._me = os.geteuid()
        self._now = time.time()
        self._trusted: bool | None = None
        self._writable = True

    def distrust(self) -> Distrust | None:
        """Why the folder must not be used, if it is there and must not."""
        return distrust_in((self.folder, *self._inside))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; what is not a private file of this user is removed, not read."""
        if not self._trusted and not self._is_trusted():
            return None
        try:
            file = os.open(path, _READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in _NO_FILE_OF_OURS:
                self.drop(path)
            return None
        try:
            status = os.fstat(file)
            if self.is_ours(status):
                content = _all_of(file, status.st_size)
                self._refresh(file, status)
                return content
        except OSError:
            return None
        finally:
            os.close(file)
        self.drop(path)
        return None

    def write(self, path: str, content: bytes) -> None:
        """Write a whole file or nothing; a failure is logged once, and is the last attempt."""
        if self._trusted is False or not self._writable:
            return
        try:
            self._write(path, content)
        except OSError as error:
            self._writable = False
            # A read-only home directory may be intended; a full disk is a problem.
            level = logging.INFO if error.errno in _NOT_ALLOWED else logging.WARNING
            hint = "the run goes on without; `commodore cache prune` frees space"
            log_once(level, "results are not cached", Distrust(reason(error), self.folder, hint))

    def drop(self, path: str) -> None:
        """Remove whatever is at a path, if that can be done."""
        try:
            os.unlink(path)  # noqa: PTH108 - as above
        except FileNotFoundError:
            return
        except OSError:
            import shutil

            shutil.rmtree(path, ignore_errors=True)

    def is_ours(self, status: os.stat_result) -> bool:
        """Whether something is a file that only this user can have written."""
        return (
            stat.S_ISREG(status.st_mode)
            and status.st_uid == self._me
            and not status.st_mode & OTHERS_MAY_WRITE
        )

    def _is_trusted(self) -> bool:
        if self._trusted is None and os.path.lexists(self.folder):
            distrust = self.distrust()
            self._trusted = distrust is None
            if distrust:
                log_once(logging.WARNING, "the result cache is not used", distrust)
            else:
                close(self.folder)
        return bool(self._trusted)

    def _write(self, path: str, content: bytes) -> None:
        if not self._trusted and not self._is_trusted():
            if self._trusted is False:
                return
            self._make(self.folder)
            if not self._is_trusted():
                return
        for _ in range(_ATTEMPTS):
            try:
                self._put(path, content)
            except (FileNotFoundError, NotADirectoryError):
                self._make(os.path.dirname(path))  # noqa: PTH120 - as above
            except FileExistsError:
                continue  # a process of the same number, in another container
            except IsADirectoryError:
                self.drop(path)
            else:
                return
        # Another process is removing all of it: this is not stored, the next one may be.

    def _put(self, path: str, content: bytes) -> None:
        parent = path[: path.rindex("/")]
        aside = f"{parent}/.{os.getpid()}-{time.time_ns():x}-{next(_NUMBERS)}.new"
        file = os.open(aside, _CREATE, _PRIVATE_FILE)
        try:
            try:
                write_all(file, content)
            finally:
                os.close(file)
            os.replace(aside, path)  # noqa: PTH105 - as above
        except BaseException:
            with suppress(OSError):
                os.unlink(aside)  # noqa: PTH108 - as above
            raise

    def _make(self, folder: str) -> None:
        """Make a folder, and those between it and ours, for this user alone."""
        above, _, _ = self.folder.rpartition("/")
        with suppress(FileNotFoundError):  # another process removes it
            os.makedirs(above or "/", exist_ok=True)  # noqa: PTH103 - as above
        names = folder[len(self.folder) :].split("/")
        path = self.folder
        for name in names:
            path = f"{path}/{name}" if name else path
            try:
                os.mkdir(path, _PRIVATE_FOLDER)  # noqa: PTH102 - as above
            except FileNotFoundError:
                return  # another process removes all of it: try again
            except FileExistsError:
                if path != self.folder and not os.path.isdir(path):  # noqa: PTH112 - as above
                    self.drop(path)

    def _refresh(self, file: int, status: os.stat_result) -> None:
        """Note a use; once a day is enough to find what is old."""
        if abs(self._now - status.st_mtime) > _DAY:
            with suppress(OSError):
                os.utime(file)


def _all_of(file: int, size: int) -> bytes:
    content = os.read(file, size + 1)
    while len(content) < size:
        more = os.read(file, size - len(content))
        if not more:
            break
        content += more
    return content
