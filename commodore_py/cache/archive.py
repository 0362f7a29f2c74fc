"""An archive of caches: contents one after the other, then a list of them, then its seal.

It knows no paths, links or modes: a member has a kind and a name, and who reads it decides what
these mean. Each content has a digest in the list, and the list has a seal that only the holders of
a key can make: a content that has the right digest may still be the wrong result.
"""

from __future__ import annotations

import hmac
import json
import os
import stat
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.files import aside_of
from commodore_py.errors import CommodoreError

from .trust import is_of_this_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MAGIC = b"commodore-cache-archive/v1\n"
_LENGTH, _SEAL = 8, 32
_FOOTER = _LENGTH + _SEAL + len(_MAGIC)
OVERHEAD = _FOOTER + len("[]")
"""What an archive of nothing takes."""
_MOST_LISTED = 64 << 20
_MOST_IN_MEMORY = 1 << 30
_PIECE = 1 << 20
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_HINT = "remove it, and export it again"


class Source(NamedTuple):
    """Something to put into an archive."""

    kind: str
    name: str
    used: int
    """When it was last used, in seconds."""
    content: bytes | Path


class Member(NamedTuple):
    """Something in an archive."""

    kind: str
    name: str
    used: int
    size: int
    digest: str
    begin: int


def most_listed(source: Source) -> int:
    """The most that a row of the list takes; the size of the content is not yet known."""
    row = (source.kind, source.name, source.used, 1 << 63, "0" * _hash().digest_size * 2)
    return len(_listing([row])) - len("[]") + len(",")


def write(file: Path, sources: Iterable[Source], key: bytes) -> int:
    """Write an archive, for its owner alone; returns its size. What has vanished is left out."""
    listed: list[tuple[str, str, int, int, str]] = []
    aside = aside_of(file)
    try:
        with open(aside, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as archive:
            for source in sources:
                begin = archive.tell()
                try:
                    digest = _append(archive, source.content)
                except OSError:
                    if isinstance(source.content, bytes) or source.content.exists():
                        raise
                    archive.seek(begin)
                    archive.truncate()
                    continue
                size = archive.tell() - begin
                listed.append((source.kind, source.name, source.used, size, digest))
            content = _listing(listed)
            archive.write(content)
            archive.write(len(content).to_bytes(_LENGTH, "big") + _seal(content, key) + _MAGIC)
            size = archive.tell()
        aside.replace(file)
    except OSError as error:
        with suppress(OSError):
            aside.unlink()
        raise CommodoreError(
            f"cannot write the archive: {error.strerror or error}", where=str(file)
        ) from error
    return size


class Archive:
    """An archive that is open; nothing but its list was read."""

    def __init__(self, file: BinaryIO, name: str, members: tuple[Member, ...]) -> None:
        self._file, self._name, self.members = file, name, members
        self.distrust = "there is no key"
        """Why anyone may have made it; empty if only a holder of the key can have."""

    @classmethod
    @contextmanager
    def opened(cls, path: Path, key: bytes) -> Iterator[Archive]:
        """Open an archive; it must be a file that only this user can have written."""
        try:
            file = os.fdopen(os.open(path, _OPEN), "rb")
        except OSError as error:
            raise CommodoreError(
                f"cannot read the archive: {error.strerror}", where=str(path)
            ) from error
        with file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not is_of_this_user(status):
                raise CommodoreError(
                    "the archive is not a file that only this user can have written",
                    where=str(path),
                    hint="restore it as this user, and deny others to write to it",
                )
            yield cls._read(file, status.st_size, str(path), key)

    @classmethod
    def _read(cls, file: BinaryIO, size: int, name: str, key: bytes) -> Archive:
        if size < _FOOTER:
            raise _invalid("it is cut off", name)
        file.seek(size - _FOOTER)
        footer = file.read(_FOOTER)
        if footer[_LENGTH + _SEAL :] != _MAGIC:
            raise _invalid("it has no list of its content, or that of another version", name)
        length = int.from_bytes(footer[:_LENGTH], "big")
        end = size - _FOOTER - length
        if length > _MOST_LISTED or end < 0:
            raise _invalid("its list is cut off", name)
        file.seek(end)
        listed = file.read(length)
        archive = cls(file, name, tuple(_members(listed, end, name)))
        seal = footer[_LENGTH : _LENGTH + _SEAL]
        if key:
            is_ours = hmac.compare_digest(seal, _seal(listed, key))
            archive.distrust = "" if is_ours else "it was made without this key"
        return archive

    def content(self, member: Member) -> bytes:
        """The content of a member, which has its digest."""
        if member.size > _MOST_IN_MEMORY:
            raise _invalid(f"{member.name} is too large", self._name)
        return b"".join(self.pieces(member))

    def pieces(self, member: Member) -> Iterator[bytes]:
        """The same in pieces, which may be used once all have been read."""
        self._file.seek(member.begin)
        digest, left = _hash(), member.size
        while left:
            piece = self._file.read(min(left, _PIECE))
            if not piece:
                break
            digest.update(piece)
            left -= len(piece)
            yield piece
        if left or digest.hexdigest() != member.digest:
            raise _invalid(f"{member.name} is damaged", self._name)


def _listing(rows: list[tuple[str, str, int, int, str]]) -> bytes:
    return json.dumps(rows, separators=(",", ":")).encode()


def _append(archive: BinaryIO, content: bytes | Path) -> str:
    digest = _hash()
    if isinstance(content, bytes):
        digest.update(content)
        archive.write(content)
    else:
        with content.open("rb") as source:
            while piece := source.read(_PIECE):
                digest.update(piece)
                archive.write(piece)
    return digest.hexdigest()


def _members(listed: bytes, end: int, name: str) -> Iterator[Member]:
    begin = 0
    try:
        rows = json_text.load(listed, name=name, levels=3)
        for kind, one, used, size, digest in rows:
            texts = all(isinstance(text, str) for text in (kind, one, digest))
            numbers = all(type(number) is int and number >= 0 for number in (used, size))
            if texts and numbers:
                yield Member(kind, one, used, size, digest, begin)
            begin += size
    except (ValueError, TypeError) as error:
        raise _invalid("its list cannot be read", name) from error
    if begin != end:
        raise _invalid("its content is not as long as its list says", name)


def _invalid(why: str, name: str) -> CommodoreError:
    return CommodoreError(f"not a valid archive of caches: {why}", where=name, hint=_HINT)


def _hash() -> blake2b:
    return blake2b(digest_size=32)


def _seal(listed: bytes, key: bytes) -> bytes:
    """The seal of a list; without a key, there is none."""
    return hmac.digest(key, _MAGIC + listed, "sha256") if key else bytes(_SEAL)
