"""Locks on files that programs inherit: held until the last of them has ended."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .opening import LinkInTheWay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_PAUSE = 0.02
_SILENCE = 2.0


@contextmanager
def locked(file: Path, *, what: str, patience: float) -> Iterator[int]:
    """Hold a lock file while working on something; it is there only as long as that.

    Yields its descriptor, for programs to inherit: if this process is killed, they keep it.
    """
    began, warned = time.monotonic(), False
    while (lock := _attempt(file)) is None:
        waited = time.monotonic() - began
        if waited > patience:
            raise CommodoreError(
                f"a program of another run still uses {what}",
                where=str(file),
                hint="wait for it, or end it; then compile again",
            )
        if waited > _SILENCE and not warned:
            log.warning("waiting for a program of another run that uses %s", what)
            warned = True
        time.sleep(_PAUSE)
    try:
        yield lock
    finally:
        # While it is locked: waiting processes see that it is another file now.
        file.unlink(missing_ok=True)
        os.close(lock)


def _attempt(file: Path) -> int | None:
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except FileNotFoundError:  # another process has finished and removed it
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LinkInTheWay.at(os.fspath(file), os.fspath(file.readlink())) from error
        raise
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_ino == file.stat().st_ino:
            return lock
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        log.warning("programs cannot be kept apart here: %s", error.strerror)
        return lock
    os.close(lock)
    return None
