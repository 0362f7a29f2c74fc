"""The user's store on disk: blobs by digest and records by key."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import stat
import time
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import write_all

from . import sweep
from .digests import HEX, digest
from .trust import Distrust, distrust_in, is_of_this_user, is_trusted, log_once, reason

if TYPE_CHECKING:
    from pathlib import Path

_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# Without O_NONBLOCK, opening a pipe in place of a file would block.
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_NO_FILE_OF_OURS = frozenset({errno.ELOOP, errno.EACCES, errno.ENXIO})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_DAY = 86400.0
_ATTEMPTS = 8
_NUMBERS = count()
_FORMAT = "v3"
_INSIDE = (_FORMAT, f"{_FORMAT}/blobs", f"{_FORMAT}/records")
_SEAL = 64
_SHORTEST_KEY = 8


class Store:
    """Contents in a folder of this user only, which may be deleted at any time.

    What is damaged or cannot be read is missing; what cannot be written is not stored. Neither ends
    a run. Nothing is touched before the first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
        self._blobs, self._records = (f"{self._root}/{name}" for name in _INSIDE[1:])
        self._now = time.time()
        self._usable: bool | None = None
        self._writable = True

    def add_blob(self, content: bytes) -> str:
        """Store a content, and return its digest; what is there already is not written again."""
        name = digest(content)
        # What is there may be damaged, and not have been read before the work was done again.
        if self.blob(name) is None:
            self._write(_path(self._blobs, name), content)
        return name

    def blob(self, name: str) -> bytes | None:
        """The content of a digest, if it is there and whole; one that is not is removed."""
        path = _path(self._blobs, name)
        content = self._read(path)
        if content is None or digest(content) == name:
            return content
        self._drop(path)
        return None

    def set_record(self, key: str, content: bytes) -> None:
        """Store a content under a key of hexadecimal digits, in place of an earlier one."""
        self._write(_path(self._records, key), _seal(content, key) + content)

    def record(self, key: str) -> bytes | None:
        """The content under a key, if it is there and whole; one that is not is removed."""
        path = _path(self._records, key)
        file = self._read(path)
        if file is None:
            return None
        content = file[_SEAL:]
        if file[:_SEAL] == _seal(content, key):
            return content
        self._drop(path)
        return None

    def distrust(self) -> Distrust | None:
        """Why the store is not used, if it is there and must not be."""
        return distrust_in((self._root, *(f"{self._root}/{name}" for name in _INSIDE)))

    def tidy(self, limit: int) -> None:
        """Remove the oldest contents if the store is too large; looked at now and then only."""
        if not self.distrust():
            sweep.tidy(self._root, limit)

    def prune(self, limit: int, *, unused_for: float | None = None) -> sweep.Pruned:
        """Remove what was not used for some seconds, and more until all fits into a limit."""
        return sweep.prune(self._root, limit, unused_for=unused_for)

    def usage(self) -> sweep.Usage:
        """How much is stored."""
        return sweep.usage(self._blobs, self._records)

    def _read(self, path: str) -> bytes | None:
        """The bytes of a file; what is not a private file of this user is removed, not read."""
        if not self._is_usable():
            return None
        try:
            file = os.open(path, _READ)
        except OSError as error:
            if error.errno in _NO_FILE_OF_OURS:
                self._drop(path)
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
        self._drop(path)
        return None

    def _write(self, path: str, content: bytes) -> None:
        """Write a whole file or nothing; a failure is logged once, and is the last attempt."""
        if not self._writable or not self._is_usable():
            return
        try:
            self._attempt(path, content)
        except OSError as error:
            self._writable = False
            # A read-only home directory may be intended; a full disk is a problem.
            level = logging.INFO if error.errno in _NOT_ALLOWED else logging.WARNING
            hint = "the run continues without; `commodore cache prune` frees space"
            log_once(level, "results are not cached", Distrust(reason(error), self._root, hint))

    def _drop(self, path: str) -> None:
        """Remove whatever is at a path, if that can be done."""
        try:
            os.unlink(path)  # noqa: PTH108 - very many
        except FileNotFoundError:
            return
        except OSError:
            shutil.rmtree(path, ignore_errors=True)

    def _is_usable(self) -> bool:
        # One that is not there yet is created for this user, and judged then.
        if self._usable is None and os.path.lexists(self._root):
            self._usable = is_trusted("the result cache", self._root, *_INSIDE)
        return self._usable is not False

    def _attempt(self, path: str, content: bytes) -> None:
        for _ in range(_ATTEMPTS):
            if not self._is_usable():  # it may be there by now
                return
            try:
                self._put(path, content)
            except (FileNotFoundError, NotADirectoryError):
                self._make(os.path.dirname(path))  # noqa: PTH120 - very many
            except FileExistsError:
                continue  # a process of the same number, in another container
            except IsADirectoryError:
                self._drop(path)
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
            os.makedirs(os.path.dirname(self._root), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        path = self._root
        for name in ("", *folder[len(self._root) + 1 :].split("/")):
            path = f"{path}/{name}" if name else path
            try:
                os.mkdir(path, _PRIVATE_FOLDER)  # noqa: PTH102 - as above
            except FileNotFoundError:
                return  # another process removes all of it: try again
            except FileExistsError:
                if path != self._root and not os.path.isdir(path):  # noqa: PTH112 - as above
                    self._drop(path)


def _path(folder: str, key: str) -> str:
    if len(key) < _SHORTEST_KEY or not HEX.issuperset(key):
        raise ValueError(f"not a key: {key!r}")
    return f"{folder}/{key[:2]}/{key[2:]}"


def _seal(content: bytes, key: str) -> bytes:
    return blake2b(content, key=key.encode()[:64], digest_size=_SEAL // 2).hexdigest().encode()
