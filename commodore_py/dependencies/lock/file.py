"""The lock file on disk: found, read, and replaced as a whole while no other process writes it."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError, UsageError

from .document import Lock, merged
from .git_pins import refuse_contradictions
from .text import read_lock, write_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class LockFile:
    """A lock file as it was read; an empty text if there was none."""

    file: Path
    text: str
    lock: Lock

    @classmethod
    def read(cls, file: Path) -> LockFile:
        """Read a lock file; a missing one is empty."""
        text = _text_of(file)
        lock = read_lock(text, str(file)) if text else Lock()
        refuse_contradictions(lock, str(file))
        return cls(file, text, lock)

    @property
    def exists(self) -> bool:
        """True if there was a file."""
        return bool(self.text)

    def write(self, lock: Lock) -> bool:
        """Replace the file, unless it says the same; changes of others are merged."""
        if self.exists and lock.content() == self.lock.content() and lock.top == self.lock.top:
            return False
        with _one_writer(self.file):
            now = _text_of(self.file)
            if now != self.text:
                theirs = read_lock(now, str(self.file)) if now else Lock()
                lock = merged(self.lock, lock, theirs, str(self.file))
            text = write_lock(lock)
            if text == now:
                return False
            try:
                write_if_changed(self.file, text.encode())
            except OSError as error:
                problem = f"cannot write the lock file: {error.strerror}"
                raise CommodoreError(problem, where=str(self.file)) from error
        return True


def check_writable(file: Path, paths: WorkPaths) -> None:
    """Refuse what cannot be written before anything else is done."""
    replaced = (file.parent, *((file,) if file.exists() else ()))
    if not all(os.access(path, os.W_OK) for path in replaced):
        raise UsageError(
            "lock file: its folder does not exist, or it cannot be written",
            where=str(file),
            hint="name another file; a compile with --frozen only reads it",
        )
    for checkouts in (paths.classes, paths.dependencies, paths.catalog, paths.vendor):
        if file.resolve().is_relative_to(checkouts.resolve()):
            raise UsageError(
                "the lock file is in a checkout of the working directory: there it would be local"
                " work, which stops the next run",
                where=str(file),
                hint="write it to a clone of your own, such as one of the tenant repository",
            )


def _text_of(file: Path) -> str:
    try:
        return bytes_of(str(file), limit=_MOST_BYTES).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise CommodoreError("the lock file is not UTF-8", where=str(file)) from error
    except OSError as error:
        raise CommodoreError(
            f"cannot read the lock file: {error.strerror}", where=str(file)
        ) from error


@contextmanager
def _one_writer(file: Path) -> Iterator[None]:
    """Writers take turns. The folder is locked, as the file is replaced."""
    try:
        folder = os.open(file.parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise CommodoreError(
            f"cannot write the lock file: {error.strerror}", where=str(file)
        ) from error
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
