"""Untrusted archives: read and unpacked, never outside of the target folder."""

from __future__ import annotations

import io
import os
import posixpath
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.errors import CommodoreError

from .compressed import BROKEN, ExpandsTooMuch, opened_tar, opened_zip, reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_BYTES = 2 << 30
_MOST_MEMBERS = 200_000
_MOST_LINKS = 40
_BOM = b"\xef\xbb\xbf"


class BadArchive(CommodoreError):
    """An archive that is broken, or wants to write where it must not."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file, link or folder of an archive."""

    content: bytes = b""
    executable: bool = False
    link: str = ""
    folder: bool = False


Content: TypeAlias = "Mapping[str, Member]"
"""Members by their relative paths, without those folders that have something in them."""


def unpack_tar(file: Path) -> Content:
    """Everything in a tar archive, whichever way it is compressed."""
    found = _Found()
    try:
        with opened_tar(file) as archive:
            for one in archive:
                found.count()
                name = _inside(one.name)
                if one.isdir():
                    found.add(name, Member(folder=True))
                elif one.issym():
                    found.add(name, Member(link=_inner_link(name, one.linkname)))
                elif one.islnk():
                    found.add(name, found.at(_inside(one.linkname)))
                elif one.isreg():
                    content = _content_of(archive, one, found)
                    found.add(name, Member(content, bool(one.mode & stat.S_IXUSR)))
                else:
                    raise BadArchive(f"{one.name} is neither file nor folder nor link")
    except BROKEN as error:
        raise BadArchive(f"cannot read the archive: {reason(error)}") from error
    return found.content()


def unpack_zip(file: Path) -> Content:
    """Everything in a zip archive; as Python does, links become files and nothing is a program."""
    found = _Found()
    try:
        with opened_zip(file) as archive:
            for one in archive.infolist():
                found.count()
                name = _inside(one.filename)
                if one.is_dir():
                    found.add(name, Member(folder=True))
                else:
                    found.grow(one.file_size)
                    found.add(name, Member(archive.read(one)))
    except BROKEN as error:
        raise BadArchive(f"cannot read the archive: {reason(error)}") from error
    return found.content()


def unpack_chart(file: Path) -> Content:
    """A packaged chart without the folder around it, as `helm pull --untar` leaves it."""
    found = _Found()
    try:
        with opened_tar(file) as archive:
            for one in archive:
                found.count()
                if one.isdir():
                    continue
                # Helm treats everything but folders as files; links are empty files.
                content = _content_of(archive, one, found) if one.isreg() else b""
                found.add(_inside_chart(one.name), Member(content.removeprefix(_BOM)))
    except BROKEN as error:
        raise BadArchive(f"not a packaged chart: {reason(error)}") from error
    if "Chart.yaml" not in found.members:
        raise BadArchive("not a packaged chart: there is no Chart.yaml in its folder")
    return found.content()


def is_tar(file: Path) -> bool:
    """Whether a file begins like a tar archive, compressed or not."""
    try:
        with opened_tar(file):
            return True
    except ExpandsTooMuch:
        return True  # which is refused when it is unpacked
    except BROKEN:
        return False


def is_zip(file: Path) -> bool:
    """Whether a file begins like a zip archive."""
    with file.open("rb") as opened:
        return opened.read(4) in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def read_folder(folder: Path, *, bounds: Path | None = None) -> Content:
    """Everything in a folder with what its links lead to, none of which may leave the bounds."""
    found = _Found()
    _collect(folder, "", (bounds or folder).resolve(), found, depth=0)
    return found.content()


def pack(content: Content, file: Path) -> None:
    """Put members into a tar archive that is the same for the same members."""
    with tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, member in sorted(content.items()):
            about = tarfile.TarInfo(name)
            about.mode = 0o755 if member.executable or member.folder else 0o644
            if member.folder:
                about.type = tarfile.DIRTYPE
            elif member.link:
                about.type, about.linkname = tarfile.SYMTYPE, member.link
            about.size = len(member.content)
            archive.addfile(about, io.BytesIO(member.content))


def below(content: Content, folder: str) -> Content:
    """The members of a folder, seen from there."""
    start = f"{folder.strip('/')}/"
    return {
        name.removeprefix(start): one for name, one in content.items() if name.startswith(start)
    }


class _Found:
    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self._size = self._entries = 0

    def count(self) -> None:
        """One more entry, whatever it is and does."""
        self._entries += 1
        if self._entries > _MOST_MEMBERS:
            raise BadArchive(f"there are more than {_MOST_MEMBERS} files in it")

    def add(self, name: str, member: Member) -> None:
        if name:
            self.members[name] = member
        if len(self.members) > _MOST_MEMBERS:
            raise BadArchive(f"there are more than {_MOST_MEMBERS} files in it")

    def at(self, name: str) -> Member:
        if name not in self.members:
            raise BadArchive(f"{name} is linked to before it is there")
        return self.members[name]

    def grow(self, size: int) -> None:
        self._size += size
        if size < 0 or self._size > _MOST_BYTES:
            raise BadArchive(f"its files are larger than {_MOST_BYTES} bytes")

    def content(self) -> Content:
        self._refuse_detours()
        for name, member in self.members.items():
            if member.link:
                self._refuse_leaving(name)
        parents = {parent for name in self.members for parent in _parents(name)}
        return {
            name: member
            for name, member in self.members.items()
            if not (member.folder and name in parents)
        }

    def _refuse_detours(self) -> None:
        """A link that others would be written through could lead them anywhere."""
        for name in self.members:
            for parent in _parents(name):
                if parent in self.members and not self.members[parent].folder:
                    raise BadArchive(
                        f"{name} would be written through {parent}, which is not a folder"
                    )

    def _refuse_leaving(self, name: str) -> None:
        """Several links that each stay inside may together lead outside, or in a circle."""
        at: list[str] = []
        left, followed = name.split("/")[::-1], 0
        while left:
            part = left.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not at:
                    raise BadArchive(
                        f"the link {name} leads out of its folder, by way of another link"
                    )
                at.pop()
                continue
            at.append(part)
            there = self.members.get("/".join(at))
            if there is not None and there.link:
                followed += 1
                if followed > _MOST_LINKS:
                    raise BadArchive(f"the link {name} leads in a circle, or by too many links")
                at.pop()
                left += there.link.split("/")[::-1]


def _parents(name: str) -> Iterator[str]:
    while name := posixpath.dirname(name):
        yield name


def _content_of(archive: tarfile.TarFile, one: tarfile.TarInfo, found: _Found) -> bytes:
    found.grow(one.size)
    file = archive.extractfile(one)
    return file.read() if file is not None else b""


def _inside(name: str) -> str:
    """A member's name as a relative path; empty for the archive's own folder."""
    clean = posixpath.normpath(name)
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
    end = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    if target.startswith("/") or end.split("/", 1)[0] == "..":
        raise BadArchive(f"the link {name} leads out of its folder, to {target}")
    return target


def _collect(folder: Path, name: str, bounds: Path, found: _Found, depth: int) -> None:
    if depth > _MOST_LINKS * 5:
        raise BadArchive(f"links in {name} lead in a circle")
    entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    if not entries and name:
        found.add(name, Member(folder=True))
    for entry in entries:
        inner, path = f"{name}/{entry.name}" if name else entry.name, Path(entry.path)
        if entry.is_symlink():
            _refuse_outside(path, inner, bounds)
        if entry.is_dir():
            _collect(path, inner, bounds, found, depth + 1)
        elif entry.is_file():
            found.grow(entry.stat().st_size)
            executable = bool(entry.stat().st_mode & stat.S_IXUSR)
            found.add(inner, Member(path.read_bytes(), executable))


def _refuse_outside(path: Path, name: str, bounds: Path) -> None:
    try:
        end = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise BadArchive(f"the link {name} leads nowhere") from error
    if not end.is_relative_to(bounds):
        raise BadArchive(f"the link {name} leads out of its folder, to {path.readlink()}")
    if path.parent.resolve().is_relative_to(end):
        raise BadArchive(f"the link {name} leads back to a folder around it")
