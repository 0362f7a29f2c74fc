"""Untrusted tar archives: opened with limits on what they expand to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 3 << 30  # with headers
# Deflate cannot do better than 1 to 1032. Whatever expands to more than that holds nothing real.
_MOST_RATIO = 1100
_ANY_RATIO = 256 << 20
_MOST_AT_ONCE = 32 << 20

BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    # These libraries raise them for damaged content; a chain of headers ends in a RecursionError.
    *(OSError, EOFError, ValueError, RuntimeError, OverflowError, MemoryError),
    *(IndexError, KeyError, TypeError),
)
"""The exceptions that reading an archive may raise."""


class ExpandsTooMuch(OSError):
    """More comes out of an archive than can be meant."""


@contextmanager
def opened_tar(source: Path | bytes) -> Iterator[tarfile.TarFile]:
    """A tar archive, whichever way it is compressed; for reading from start to end."""
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        most = min(_MOST_BYTES, _ANY_RATIO + _MOST_RATIO * size)
        expanded = _Expanded(_decompressed(file), most)
        with tarfile.TarFile(fileobj=expanded) as archive:  # type: ignore[arg-type] # it reads
            yield archive


def reason(error: BaseException) -> str:
    """What is wrong with an archive, in a few words."""
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if isinstance(error, RecursionError):
        return "its headers go on without end"
    return str(error) or type(error).__name__


class Bounded:
    """A file of which never much is read at once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes."""
        if size > _MOST_AT_ONCE:
            raise ExpandsTooMuch(f"a header is larger than {_MOST_AT_ONCE} bytes")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the offset."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return that it is."""
        return True


class _Expanded(Bounded):
    """The output of a decompressor: read from start to end, up to a limit."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        super().__init__(file)
        self._most = most

    def read(self, size: int = -1) -> bytes:
        self._check(self.tell() + max(size, 0))
        return super().read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or offset < self.tell():
            raise ExpandsTooMuch("it cannot be read from start to end")
        self._check(offset)
        return super().seek(offset)

    def _check(self, end: int) -> None:
        if end > self._most:
            raise ExpandsTooMuch(f"it expands to more than {self._most} bytes")


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    begins = file.read(6)
    file.seek(0)
    if begins.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]  # it reads
    if begins.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if begins.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.LZMAFile(file)
    return file
