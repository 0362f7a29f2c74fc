"""Whether a working directory is at rest: nobody at work in it, nothing left half done."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A run that was killed leaves the first, one that could not tell of its push the second.
_UNFINISHED = ("running", "unreported.json")


@contextmanager
def at_rest(state: Path) -> Iterator[bool]:
    """Keep runs out of a working directory, if there is nothing to wait for and to mend."""
    if any((state / name).exists() for name in _UNFINISHED):
        yield False
        return
    try:
        lock = os.open(state / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)
