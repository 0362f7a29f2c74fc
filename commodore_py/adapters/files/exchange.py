"""Replace files that others may change at the same moment: none of their content is lost."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

from .opening import opened
from .writing import remove, rename

if TYPE_CHECKING:
    from pathlib import Path


_EXCHANGE = 2  # RENAME_EXCHANGE, RENAME_SWAP


class Changed(CommodoreError):
    """A file has another content than the one that is to be replaced."""

    @classmethod
    def at(cls, file: Path) -> Changed:
        """Name the file."""
        return cls(
            "the file was changed in the meantime",
            where=str(file),
            hint="nothing was written; run the command again to edit what is there now",
        )


def refuse_changed(file: Path, expected: bytes) -> None:
    """Refuse a file that does not have the expected content."""
    if content_now(file) != expected:
        raise Changed.at(file)


def content_now(file: Path) -> bytes | None:
    """The content of a file; None if there is none."""
    try:
        return bytes_of(str(file), follow=False)
    except OSError:
        return None


def write_beside(file: Path, beside: Path, content: bytes) -> None:
    """Write a file with the mode of another, on disk when this returns."""
    mode = stat.S_IMODE(file.stat().st_mode)
    how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with opened(beside.parent) as folder:
        try:
            with os.fdopen(os.open(beside.name, how, 0o600, dir_fd=folder), "wb") as new:
                new.write(content)
                new.flush()
                os.fchmod(new.fileno(), mode)
                os.fsync(new.fileno())
        except BaseException:
            with suppress(OSError):
                os.unlink(beside.name, dir_fd=folder)
            raise


def swap_in(file: Path, beside: Path, expected: bytes) -> None:
    """Put the file beside it in the place of a file that has the expected content.

    Whatever is written to the file in the meantime stays there, and is an error.
    """
    written = content_now(beside)
    if content_now(file) != expected:
        remove(beside)
        raise Changed.at(file)
    if not exchanged(beside, file):
        rename(beside, file)
    elif content_now(beside) == expected:
        remove(beside)
    else:  # an editor has saved it after the first comparison
        put_back(file, beside, written)
        raise Changed.at(file)


def put_back(file: Path, beside: Path, written: bytes | None) -> None:
    """Return what a swap took out; what was saved since then is newer, and stays."""
    if content_now(file) == written:
        exchanged(beside, file)
        if content_now(beside) != written:
            exchanged(beside, file)
    remove(beside)


def exchanged(first: Path, second: Path) -> bool:
    """Exchange the names of two files in one step; False if the system cannot."""
    # Python has no function for these system calls.
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    function = getattr(library, name, None)
    if function is None:
        return False
    with opened(first.parent) as one, opened(second.parent) as other:
        places = (one, os.fsencode(first.name), other, os.fsencode(second.name))
        return not function(*places, ctypes.c_uint(_EXCHANGE))


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk."""
    with opened(folder) as place:
        os.fsync(place)
