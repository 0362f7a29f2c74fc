"""Files of a repository that are made or replaced as Git does it, and what is in them."""

from __future__ import annotations

import os
from contextlib import suppress

from commodore_py.adapters.reading import write_all

NO_COMMIT = "0" * 40


def new_file(file: bytes | str, content: bytes, mode: int = 0o666) -> os.stat_result:
    """Make a file that is not there; it is whole, or not there."""
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        write_all(opened, content)
        return os.fstat(opened)
    except OSError:
        with suppress(OSError):
            os.unlink(file)
        raise
    finally:
        os.close(opened)


def replace(file: str, content: str) -> None:
    """Replace a file, or make it: the creator of its lock may write it."""
    lock = f"{file}.lock"
    try:
        mode = os.stat(file).st_mode & 0o7777
    except FileNotFoundError:
        mode = None
    new_file(lock, os.fsencode(content))
    try:
        if mode is not None:
            os.chmod(lock, mode)
        os.rename(lock, file)
    except OSError:
        with suppress(OSError):
            os.unlink(lock)
        raise
