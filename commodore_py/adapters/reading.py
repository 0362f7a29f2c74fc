"""The door for files of others: regular files only, up to a limit.

Every refusal is an `OSError`. By system calls: quicker than `Path`, where many are read; those
that write come through `write_all`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from os import PathLike

LARGEST_FILE = 512 << 20
"""How many bytes a file of others may have."""
WRITER_OPENS_WITHIN = 5.0
WRITER_ENDS_WITHIN = 120.0
"""How many seconds the writer of a FIFO may take: some prompt their user."""

_CHUNK = 1 << 16
# Whatever takes the place of the file, opening it neither waits nor follows a link.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class TooLarge(OSError):
    """A file with more bytes than the limit."""


class NotReadable(CommodoreError):
    """A requested file or folder is missing, is of another kind, or must not be read."""


def bytes_of(path: str, *, limit: int = LARGEST_FILE, follow: bool = True) -> bytes:
    """A file's content; a link is an error (`ELOOP`) unless it is to be followed."""
    return bytes_and_mode(path, limit=limit, follow=follow)[0]


def bytes_and_mode(
    path: str, *, limit: int = LARGEST_FILE, follow: bool = True
) -> tuple[bytes, int]:
    """Read a file, with its mode."""
    try:
        status = os.stat(path, follow_symlinks=follow)  # noqa: PTH116 - a text
    except ValueError as error:
        raise OSError(errno.EINVAL, "its name holds a null character", path) from error
    if not stat.S_ISREG(status.st_mode):
        raise _refusal(status.st_mode, path)
    if status.st_size > limit:
        raise _too_large(path, limit)
    file = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
    try:
        # One more than there should be: only at the end of a file there is exactly that much.
        content = os.read(file, status.st_size + 1)
        if len(content) != status.st_size:
            content = _rest(file, [content], path, limit)
    finally:
        os.close(file)
    return content, status.st_mode


def check_kind(path: str) -> None:
    """Refuse what is neither a file nor missing, before a program waits for it."""
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(path).st_mode  # noqa: PTH116 - a text
        if not stat.S_ISREG(mode):
            raise _refusal(mode, path)


def bytes_of_pipe(path: str, *, limit: int) -> bytes:
    """Read what a program writes to a FIFO of the user; a `TimeoutError` if none does."""
    import threading  # hardly ever needed

    results: list[bytes | OSError] = []
    opened = threading.Event()

    def read() -> None:
        try:
            with open(path, "rb") as pipe:  # noqa: PTH123 - a text
                opened.set()
                results.append(pipe.read(limit + 1))
        except OSError as error:
            results.append(error)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    if opened.wait(WRITER_OPENS_WITHIN):
        reader.join(WRITER_ENDS_WITHIN)
    else:
        with suppress(OSError):  # as a writer without a word, so that the thread ends
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        reader.join(1)
        raise TimeoutError(errno.ETIMEDOUT, "it is a FIFO, and no program writes to it", path)
    if not results:
        raise TimeoutError(errno.ETIMEDOUT, "the program that writes to this FIFO takes too long")
    if isinstance(results[0], OSError):
        raise results[0]
    if len(results[0]) > limit:
        raise _too_large(path, limit)
    return results[0]


def text_of(path: str, *, limit: int = LARGEST_FILE) -> str:
    """Read it as text; a `ValueError` where it is not UTF-8."""
    return bytes_of(path, limit=limit).decode()


def write_all(file: int, content: bytes) -> None:
    """Write to an open file, again where the system takes only a part."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def content_of(path: str | PathLike[str], *, limit: int = LARGEST_FILE) -> bytes:
    """The content of a file that must be there."""
    text = os.fspath(path)
    try:
        return bytes_of(text, limit=limit)
    except OSError as error:
        raise NotReadable(f"cannot read the file: {error.strerror}", where=text) from error


def _rest(file: int, pieces: list[bytes], path: str, limit: int) -> bytes:
    """Read a file without a size, or one that grows."""
    size = sum(map(len, pieces))
    while piece := os.read(file, _CHUNK):
        size += len(piece)
        if size > limit:
            raise _too_large(path, limit)
        pieces.append(piece)
    return b"".join(pieces)


def _refusal(mode: int, path: str) -> OSError:
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFDIR:
        return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if kind == stat.S_IFLNK:
        return OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    what = _KINDS.get(kind, "not a regular file")
    return OSError(errno.EINVAL, f"it is {what}, not a file", path)


def _too_large(path: str, limit: int) -> TooLarge:
    return TooLarge(errno.EFBIG, f"it is larger than {limit >> 20} MiB", path)
