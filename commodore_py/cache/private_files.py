"""Files of a cache: read if only this user can have written them, and written whole."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import stat
import time
from contextlib import suppress
from itertools import count

from commodore_py.adapters.reading import write_all

from .trust import Distrust, is_of_this_user, is_trusted, log_once, reason

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# Without O_NONBLOCK, opening a pipe in place of a file would block.
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_FILE_OF_OURS = frozenset({errno.ELOOP, errno.EACCES, errno.ENXIO})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_DAY = 86400.0
_ATTEMPTS = 8
_NUMBERS = count()


class PrivateFiles:
    """Files in a folder of this user only, which may be deleted at any time.

    What cannot be read is missing; what cannot be written is not stored. Neither ends a run.
    Nothing is touched before the first use.
    """

    def __init__(self, folder: str, inside: tuple[str, ...]) -> None:
        self.folder = folder
        self.inside = inside
        self._now = time.time()
        self._usable: bool | None = None
        self._writable = True

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; what is not a private file of this user is removed, not read."""
        if not self._is_usable() or not os.path.lexists(self.folder):
            return None
        try:
            file = os.open(path, _READ)
        except OSError as error:
            if error.errno in _NO_FILE_OF_OURS:
                self.drop(path)
            return None
        try:
            status = os.fstat(file)
            if stat.S_ISREG(status.st_mode) and is_of_this_user(status):
                if abs(self._now - status.st_mtime) > _DAY:
                    with suppress(OSError):
                        os.utime(file)  # once a day is enough to find what is old
                with open(file, "rb", closefd=False) as opened:
                    return opened.read()
        except OSError:
            return None
        finally:
            os.close(file)
        self.drop(path)
        return None

    def write(self, path: str, content: bytes) -> None:
        """Write a whole file or nothing; a failure is logged once, and is the last attempt."""
        if not self._writable or not self._is_usable():
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
            os.unlink(path)  # noqa: PTH108 - very many
        except FileNotFoundError:
            return
        except OSError:
            shutil.rmtree(path, ignore_errors=True)

    def _is_usable(self) -> bool:
        if self._usable is None:
            self._usable = is_trusted("the result cache", self.folder, *self.inside)
        return self._usable

    def _write(self, path: str, content: bytes) -> None:
        for _ in range(_ATTEMPTS):
            try:
                self._put(path, content)
            except (FileNotFoundError, NotADirectoryError):
                self._make(os.path.dirname(path))  # noqa: PTH120 - very many
            except FileExistsError:
                continue  # a process of the same number, in another container
            except IsADirectoryError:
                self.drop(path)
            else:
                return
        # Another process is removing all of it: this is not stored, the next one may be.

    def _put(self, path: str, content: bytes) -> None:
        parent = path[: path.rindex("/")]
        temporary = f"{parent}/.{os.getpid()}-{time.time_ns():x}-{next(_NUMBERS)}.new"
        file = os.open(temporary, _CREATE, _PRIVATE_FILE)
        try:
            try:
                write_all(file, content)
            finally:
                os.close(file)
            os.replace(temporary, path)  # noqa: PTH105 - very many
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108 - as above
            raise

    def _make(self, folder: str) -> None:
        """Make a folder, and those between it and ours, for this user alone."""
        with suppress(FileNotFoundError):  # another process removes it
            os.makedirs(os.path.dirname(self.folder), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        path = self.folder
        for name in ("", *folder[len(self.folder) + 1 :].split("/")):
            path = f"{path}/{name}" if name else path
            with suppress(FileNotFoundError, FileExistsError, NotADirectoryError):
                os.mkdir(path, _PRIVATE_FOLDER)  # noqa: PTH102 - as above
