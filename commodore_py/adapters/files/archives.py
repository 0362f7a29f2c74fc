"""Untrusted archives: read with one limit on what they expand to, never outside of their folder."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from commodore_py.errors import CommodoreError

from .trees import Bounds, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_BYTES = 1 << 30
"""Of all files in an archive, with their headers."""
_MOST_MEMBERS = 200_000
_CHUNK = 1 << 20
_LONGEST_NAME = 4096
_BOM = b"\xef\xbb\xbf"
_BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    # These libraries raise them for damaged content; a chain of headers ends in a RecursionError.
    *(OSError, EOFError, ValueError, RuntimeError, OverflowError, MemoryError),
    *(IndexError, KeyError, TypeError),
)


class BadArchive(CommodoreError):
    """An archive that is broken or too large, or has members outside of its folder."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file, link or folder of an archive."""

    content: bytes = b""
    executable: bool = False
    link: str = ""
    folder: bool = False


Content: TypeAlias = "Mapping[str, Member]"
"""Members by their relative paths, without those folders that have something in them."""


@contextmanager
def opened_tar(source: Path | bytes) -> Iterator[tarfile.TarFile]:
    """A tar archive, whichever way it is compressed; for reading from start to end."""
    with _reading(), source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
        limited = _Limited(_decompressed(file))
        with tarfile.TarFile(fileobj=limited) as archive:  # type: ignore[arg-type] # it reads
            yield archive


def unpack_tar(file: Path) -> Content:
    """Everything in a tar archive, whichever way it is compressed."""
    members = _Members()
    with opened_tar(file) as archive:
        for entry in archive:
            name = _inside(entry.name)
            if entry.isdir():
                members.add(name, Member(folder=True))
            elif entry.issym():
                members.add(name, Member(link=_inner_link(name, entry.linkname)))
            elif entry.islnk():
                member = members.at(_inside(entry.linkname))
                members.content_of(None, len(member.content))  # it becomes a file of its own
                if member.link:  # which starts in another folder here
                    member = Member(link=_inner_link(name, member.link))
                members.add(name, member)
            elif entry.isreg():
                content = members.content_of(archive.extractfile(entry), entry.size)
                members.add(name, Member(content, bool(entry.mode & stat.S_IXUSR)))
            else:
                raise BadArchive(f"{entry.name} is neither file nor folder nor link")
    return members.content()


def unpack_zip(file: Path) -> Content:
    """Everything in a zip archive; as Python does, links become files and nothing is a program."""
    members = _Members()
    with _reading(), zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = _inside(entry.filename)
            if entry.is_dir():
                members.add(name, Member(folder=True))
            else:
                with archive.open(entry) as content:
                    members.add(name, Member(members.content_of(content, entry.file_size)))
    return members.content()


def unpack_chart(file: Path | bytes) -> Content:
    """A packaged chart without the folder around it, as `helm pull --untar` leaves it."""
    members = _Members()
    with opened_tar(file) as archive:
        for entry in archive:
            if entry.isdir():
                members.add("", Member())
                continue
            # Helm treats everything but folders as files; links are empty files.
            opened = archive.extractfile(entry) if entry.isreg() else None
            content = members.content_of(opened, entry.size if opened else 0)
            members.add(_inside_chart(entry.name), Member(content.removeprefix(_BOM)))
    content_ = members.content()
    if "Chart.yaml" not in content_:
        raise BadArchive("not a packaged chart: there is no Chart.yaml in its folder")
    return content_


def is_tar(file: Path) -> bool:
    """Return whether a file begins like a tar archive, compressed or not."""
    try:
        with opened_tar(file):
            return True
    except BadArchive:
        return False


def is_zip(file: Path) -> bool:
    """Return whether a file begins like a zip archive."""
    with file.open("rb") as opened:
        return opened.read(4) in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def read_folder(folder: Path, *, bounds: Path | None = None) -> Content:
    """Everything in a folder with what its links lead to, none of which may leave the bounds."""
    tree = read_tree(folder, Bounds(bounds or folder))
    empty = {str(path): Member(folder=True) for path in tree.empty_folders}
    return {str(path): Member(*entry) for path, entry in tree.items()} | empty


def pack(content: Content, file: Path) -> None:
    """Put members into a tar archive that is the same for the same members."""
    with tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, member in sorted(content.items()):
            entry = tarfile.TarInfo(name)
            entry.mode = 0o755 if member.executable or member.folder else 0o644
            if member.folder:
                entry.type = tarfile.DIRTYPE
            elif member.link:
                entry.type, entry.linkname = tarfile.SYMTYPE, member.link
            entry.size = len(member.content)
            archive.addfile(entry, io.BytesIO(member.content))


def below(content: Content, folder: str) -> Content:
    """The members of a folder, seen from there."""
    start = f"{folder.strip('/')}/"
    return {
        name.removeprefix(start): member
        for name, member in content.items()
        if name.startswith(start)
    }


@contextmanager
def _reading() -> Iterator[None]:
    """Raise what the libraries raise for damaged archives as one error."""
    try:
        yield
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno is not None:
            # Of the system: it may concern what the caller writes.
            where = str(error.filename or "")
            raise CommodoreError(f"cannot unpack: {error.strerror}", where=where) from error
        reason = "it does not fit into memory" if isinstance(error, MemoryError) else str(error)
        raise BadArchive(f"cannot read the archive: {reason or type(error).__name__}") from error


class _Limited:
    """The output of a decompressor: read from start to end, up to the limit."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.tell = file.tell

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes."""
        self._check(self.tell() + size)
        return self._file.read(size)

    def seek(self, offset: int) -> int:
        """Skip to an offset."""
        self._check(offset)
        return self._file.seek(offset)

    def _check(self, end: int) -> None:
        if not self.tell() <= end <= _MOST_BYTES:
            raise BadArchive(f"it expands to more than {_MOST_BYTES} bytes")


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


class _Members:
    """The members of an archive so far, within the limits."""

    def __init__(self) -> None:
        self._members: dict[str, Member] = {}
        self._bytes = self._count = 0

    def add(self, name: str, member: Member) -> None:
        """Count a member, and keep it unless it is the archive's own folder."""
        self._count += 1
        if self._count > _MOST_MEMBERS:
            raise BadArchive(f"there are more than {_MOST_MEMBERS} files in it")
        if name:
            self._members[name] = member

    def at(self, name: str) -> Member:
        """The member that a hard link refers to."""
        if name not in self._members:
            raise BadArchive(f"{name} is linked to before it is there")
        return self._members[name]

    def content_of(self, file: IO[bytes] | None, size: int) -> bytes:
        """Read a file in small pieces: whatever asks for much at once is a header."""
        self._bytes += size
        if size < 0 or self._bytes > _MOST_BYTES:
            raise BadArchive(f"its files are larger than {_MOST_BYTES} bytes")
        return b"" if file is None else b"".join(iter(lambda: file.read(_CHUNK), b""))

    def content(self) -> Content:
        """All members; a link that others would be written through could lead them anywhere."""
        parents = {str(parent) for name in self._members for parent in Path(name).parents}
        for name in parents & self._members.keys():
            if not self._members[name].folder:
                message = f"other members would be written through {name}, which is not a folder"
                raise BadArchive(message)
        return {
            name: member
            for name, member in self._members.items()
            if not (member.folder and name in parents)
        }


def _inside(name: str) -> str:
    """A member's name as a relative path; empty for the archive's own folder."""
    clean = posixpath.normpath(name)
    if len(name) > _LONGEST_NAME:
        raise BadArchive(f"a name has more than {_LONGEST_NAME} characters")
    if name.startswith("/") or "\0" in name or clean.split("/", 1)[0] == "..":
        raise BadArchive(f"{name} would be written outside of its folder")
    return "" if clean == "." else clean


def _inside_chart(name: str) -> str:
    name = name.replace("\\", "/")
    _, _, inner = name.partition("/")
    clean = _inside(inner) if inner else ""
    if not clean or name.startswith("/") or inner[1:2] == ":":
        raise BadArchive(f"{name} is outside of the chart's folder")
    return clean


def _inner_link(name: str, target: str) -> str:
    """The target of a link, which goes up only where folders are, and not behind another link.

    So links that each stay inside cannot lead outside together.
    """
    end = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    if target.startswith("/") or end.split("/", 1)[0] == "..":
        raise BadArchive(f"the link {name} leads out of its folder, to {target}")
    return posixpath.normpath(target)
