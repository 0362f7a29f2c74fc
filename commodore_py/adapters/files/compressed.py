"""Tar and zip archives of others: opened with limits on what they may expand to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

_MOST_BYTES = 3 << 30  # with headers
# Deflate cannot do better than 1 to 1032. Whatever expands to more than that holds nothing real.
_MOST_RATIO = 1100
_ANY_RATIO = 256 << 20
_MOST_AT_ONCE = 16 << 20
_MOST_LISTED = 32 << 20
_BUFFER = 1 << 20

BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    # These libraries raise them for damaged content; a chain of headers ends in a RecursionError.
    *(OSError, EOFError, ValueError, RuntimeError, OverflowError, MemoryError),
    *(IndexError, KeyError, TypeError),
)
"""What reading an archive may raise."""


class ExpandsTooMuch(OSError):
    """More comes out of an archive than can be meant."""


@contextmanager
def opened_tar(source: Path | bytes) -> Iterator[tarfile.TarFile]:
    """A tar archive, whichever way it is compressed; for reading from start to end."""
    with ExitStack() as stack:
        file: BinaryIO
        if isinstance(source, Path):
            file = stack.enter_context(source.open("rb"))
        else:
            file = io.BytesIO(source)
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        most = min(_MOST_BYTES, _ANY_RATIO + _MOST_RATIO * size)
        expanded = stack.enter_context(_Expanded(_decompressed(file), most))
        buffered = io.BufferedReader(expanded, _BUFFER)
        yield stack.enter_context(_Tar(fileobj=_Careful(buffered)))


@contextmanager
def opened_zip(file: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive; what it lists has a limit, its contents are the caller's to count."""
    with file.open("rb") as opened:
        listing = _Careful(opened, _MOST_LISTED)
        with zipfile.ZipFile(listing) as archive:
            listing.most = _MOST_BYTES
            yield archive


def reason(error: BaseException) -> str:
    """What is wrong with an archive, in a few words."""
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if isinstance(error, RecursionError):
        return "its headers go on without end"
    return str(error) or type(error).__name__


class _Tar(tarfile.TarFile):
    """Uncompressed, as decompression is ours."""

    fileobject = tarfile.ExFileObject


class _Careful:
    """A file that is never read as a whole: only headers ask for much at once."""

    def __init__(self, file: BinaryIO | io.BufferedReader, most: int = _MOST_AT_ONCE) -> None:
        self._file = file
        self.most = most
        self.mode, self.name = "rb", ""

    def read(self, size: int = -1) -> bytes:
        """So many bytes."""
        if size > self.most:
            raise ExpandsTooMuch(f"a header is larger than {self.most} bytes")
        return self._file.read(size)

    def write(self, content: bytes) -> int:
        """Refused: archives of others are read only."""
        raise io.UnsupportedOperation(f"{len(content)} bytes")

    def seek(self, *where: int) -> int:
        """Go somewhere else."""
        return self._file.seek(*where)

    def tell(self) -> int:
        """The present place."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Whether it can go elsewhere."""
        return True

    def close(self) -> None:
        """Left to whoever opened it."""


class _Expanded(io.RawIOBase):
    """What comes out of a decompressor, counted; goes forward only."""

    def __init__(self, source: BinaryIO, most: int) -> None:
        self._source, self._most, self._at = source, most, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        piece = self._source.read(len(view))
        view[: len(piece)] = piece
        self._at += len(piece)
        if self._at > self._most:
            raise ExpandsTooMuch(f"it expands to more than {self._most} bytes")
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        target = offset if whence == io.SEEK_SET else self._at + offset
        if whence == io.SEEK_END or target < self._at:
            raise ExpandsTooMuch("it cannot be read from start to end")
        if target > self._most:
            raise ExpandsTooMuch(f"it expands to more than {self._most} bytes")
        buffer = bytearray(min(_BUFFER, target - self._at))
        while self._at < target:
            wanted = memoryview(buffer)[: target - self._at]
            if not self.readinto(wanted):
                break
        return self._at

    def tell(self) -> int:
        return self._at


def _decompressed(file: BinaryIO) -> BinaryIO:
    begins = file.read(6)
    file.seek(0)
    if begins.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]  # it reads
    if begins.startswith(b"BZh"):
        return bz2.BZ2File(file)  # type: ignore[return-value]  # as above
    if begins.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return lzma.LZMAFile(file)  # type: ignore[return-value]  # as above
    return file
