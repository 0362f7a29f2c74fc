"""The user's store on disk: blobs by digest and records by key, and its limit."""

from __future__ import annotations

import errno
import json
import logging
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.adapters.files.opening import LinkInTheWay
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

from .digests import digest, is_digest
from .records import Record, name_of, parsed
from .trust import distrust_in, is_of_this_user, is_trusted, log_once, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .records import Answers

_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_DAY = 86400.0
_PAUSE = 3600.0
_FORMAT = "v3"
_INSIDE = (_FORMAT, f"{_FORMAT}/blobs", f"{_FORMAT}/records")
_SEAL = 64
_BLOCK = 4096
# Work that reads other files depending on what it has read asks other questions.
_MOST_LISTS = 64


@dataclass(frozen=True, slots=True)
class Usage:
    """The size of a store, in whole blocks, and when something was last used."""

    blobs: int
    records: int
    bytes: int
    used: float | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """Sizes of what was removed, and of what is left."""

    files: int
    freed: int
    left: int


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    used: float


class Store:
    """Contents in a folder of this user only, which may be deleted at any time.

    What is damaged or cannot be read is missing; what cannot be written is not stored. Neither ends
    a run. Nothing is touched before the first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
        self._inside = tuple(f"{self._root}/{name}" for name in _INSIDE)
        _, self._blobs, self._records = self._inside
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
        _drop(path)
        return None

    def set_record(self, key: str, content: bytes) -> None:
        """Store a content under a key, which is a digest, in place of an earlier one."""
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
        _drop(path)
        return None

    def asked(self, key: str) -> list[Answers]:
        """The lists of questions that work of a key has asked, the newest first."""
        value = parsed(self.record(key))
        lists = value if isinstance(value, list) else ()
        return [
            answers
            for answers in lists
            if isinstance(answers, dict)
            and all(isinstance(answer, str) for answer in answers.values())
        ]

    def records(self, name: str) -> tuple[Record, ...]:
        """The one record of a name, if there is one."""
        record = Record.parse(self.record(name))
        return () if record is None else (record,)

    def add(self, key: str, answers: Answers, record: Record) -> None:
        """Store a record, and put its questions first."""
        others = [other for other in self.asked(key) if other.keys() != answers.keys()]
        self.set_record(name_of(key, answers), record.packed())
        self.set_record(key, json.dumps([answers, *others][:_MOST_LISTS]).encode())

    def distrust(self) -> CommodoreError | None:
        """Why the store is not used, if it is there and must not be."""
        return distrust_in((self._root, *self._inside))

    def tidy(self, limit: int) -> None:
        """Remove the oldest contents if the store is too large; it is looked at once an hour."""
        folder = self._inside[0]  # its time is otherwise that of being made
        try:
            if self.distrust() or abs(time.time() - os.lstat(folder).st_mtime) < _PAUSE:
                return
            os.utime(folder)
        except OSError:  # there is no store, or it is read-only
            return
        self.prune(limit)

    def prune(self, limit: int, *, unused_for: float | None = None) -> Pruned:
        """Remove what was not used for some seconds, and then the oldest until the rest fits.

        All formats count: the program that made an older one may never run again.
        """
        now = time.time()
        files = sorted(self._files(), key=lambda file: file.used)
        left = sum(file.size for file in files)
        removed = freed = 0
        for file in files:
            old = unused_for is not None and now - file.used >= unused_for
            if not old and left <= limit:
                continue
            with suppress(OSError):
                os.unlink(file.path)  # noqa: PTH108 - very many
                removed, freed, left = removed + 1, freed + file.size, left - file.size
        return Pruned(removed, freed, left)

    def usage(self) -> Usage:
        """How much is stored."""
        files = list(self._files())
        kinds = Counter(file.path.split("/")[-3] for file in files)
        return Usage(
            kinds["blobs"],
            kinds["records"],
            sum(file.size for file in files),
            max((file.used for file in files), default=None),
        )

    def _files(self) -> Iterator[_File]:
        """All files; what vanishes while it is listed is missing."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                with suppress(OSError):
                    status = os.lstat(f"{folder}/{name}")
                    blocks = -(-status.st_size // _BLOCK)
                    yield _File(f"{folder}/{name}", blocks * _BLOCK, status.st_mtime)

    def _read(self, path: str) -> bytes | None:
        """The bytes of a file; what is not a private file of this user is removed, not read."""
        if not self._is_usable():
            return None
        try:
            status = os.lstat(path)
            content = bytes_of(path, follow=False) if is_of_this_user(status) else None
        except FileNotFoundError:
            return None
        except NotADirectoryError:  # a file in the place of the directory
            _drop(os.path.dirname(path))  # noqa: PTH120 - a text
            return None
        except OSError:
            content = None
        if content is None:
            _drop(path)
        elif abs(self._now - status.st_mtime) > _DAY:
            with suppress(OSError):
                os.utime(path, follow_symlinks=False)  # once a day is enough to find what is old
        return content

    def _write(self, path: str, content: bytes) -> None:
        """Write a whole file or nothing; a failure is logged once, and is the last attempt."""
        if not self._writable:
            return
        try:
            if not all(map(os.path.isdir, self._inside)):
                self._make()
            if self._is_usable():
                write_if_changed(Path(path), content, private=True)
        except FileNotFoundError:
            return  # another process removes all of it: the next one may be stored
        except (OSError, LinkInTheWay) as error:
            self._writable = False
            # A read-only home directory may be intended; a full disk is a problem.
            intended = isinstance(error, OSError) and error.errno in _NOT_ALLOWED
            level = logging.INFO if intended else logging.WARNING
            hint = "the run continues without; `commodore cache prune` frees space"
            why = CommodoreError(reason(error), where=self._root, hint=hint)
            log_once(level, "results are not cached", why)

    def _make(self) -> None:
        """Make the folders for this user alone, whatever the umask."""
        os.makedirs(os.path.dirname(self._root), exist_ok=True)  # noqa: PTH103, PTH120 - very many
        for folder in (self._root, *self._inside):
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)  # noqa: PTH102 - as above

    def _is_usable(self) -> bool:
        # One that is not there yet is created for this user, and judged then.
        if self._usable is None and os.path.lexists(self._root):
            self._usable = is_trusted("the result cache", self._root, *_INSIDE)
        return self._usable is not False


def _drop(path: str) -> None:
    """Remove whatever is at a path, if that can be done."""
    with suppress(OSError, LinkInTheWay):
        remove(Path(path))


def _path(folder: str, key: str) -> str:
    if not is_digest(key):
        raise ValueError(f"not a key: {key!r}")
    return f"{folder}/{key[:2]}/{key[2:]}"


def _seal(content: bytes, key: str) -> bytes:
    return blake2b(content, key=key.encode(), digest_size=_SEAL // 2).hexdigest().encode()
