"""Contents of objects, loose and packed; a `ValueError` or an `OSError` where Git must read them.

Nothing is verified here: who reads knows by their names what the objects must be.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.reading import bytes_of

from .objects import place_in, stores

if TYPE_CHECKING:
    from collections.abc import Iterator

# Packs are read as a whole: above that, a process costs less.
_LARGEST_PACK = 8 << 20
_LARGEST = 16 << 20
_WIDEST = 64  # bits of a number
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_DISTANCE, _BY_NAME = 6, 7
_PLACES = ((1, 0), (2, 8), (4, 16), (8, 24))
_LENGTHS = ((0x10, 0), (0x20, 8), (0x40, 16))


class _Pack(NamedTuple):
    places: bytes
    content: memoryview
    known: dict[int, tuple[str, bytes]]
    """Objects by their places: most are differences to others that are read as well."""


class Contents:
    """Reads objects of one repository."""

    __slots__ = ("_kept", "_packs", "_stores")

    def __init__(self, git_folder: str) -> None:
        self._stores = stores(f"{git_folder}/objects")
        self._packs = [pack for one in self._stores for pack in _packs_in(one)]
        self._kept = 0

    def of(self, name: str, kind: str) -> bytes:
        """The content of an object of some kind."""
        found, content = self._object(name)
        if found != kind:
            raise ValueError(f"{name} is a {found}, not a {kind}")
        return content

    def _object(self, name: str) -> tuple[str, bytes]:
        for pack in self._packs:
            place = place_in(pack.places, name)
            if place is not None:
                return self._packed(pack, place)
        for store in self._stores:
            try:
                loose = bytes_of(f"{store}/{name[:2]}/{name[2:]}", limit=_LARGEST)
            except FileNotFoundError:
                continue
            head, _, content = zlib.decompressobj().decompress(loose, _LARGEST).partition(b"\0")
            return head.partition(b" ")[0].decode("ascii"), content
        raise ValueError(f"there is no object {name}")

    def _packed(self, pack: _Pack, begin: int) -> tuple[str, bytes]:
        known = pack.known.get(begin)
        if known is not None:
            return known
        found = self._read(pack, begin)
        self._kept += len(found[1])
        if self._kept <= _LARGEST:
            pack.known[begin] = found
        return found

    def _read(self, pack: _Pack, begin: int) -> tuple[str, bytes]:
        """See gitformat-pack(5)."""
        content, place = pack.content, begin
        kind = content[place] >> 4 & 7
        size, place = _number(content, place, bits=4)
        if kind == _BY_DISTANCE:
            distance, place = _distance(content, place)
            kind_of_base, base = self._packed(pack, begin - distance)
        elif kind == _BY_NAME:
            kind_of_base, base = self._object(content[place : place + 20].hex())
            place += 20
        elif kind in _KINDS:
            return _KINDS[kind], _unpacked(content, place, size)
        else:
            raise ValueError(f"an object of kind {kind}")
        return kind_of_base, _patched(base, _unpacked(content, place, size))


def _packs_in(objects: str) -> Iterator[_Pack]:
    folder = f"{objects}/pack"
    for name in os.listdir(folder):
        if name.endswith(".idx"):
            file = f"{folder}/{name.removesuffix('.idx')}"
            index = bytes_of(f"{file}.idx", limit=_LARGEST_PACK)
            yield _Pack(index, memoryview(bytes_of(f"{file}.pack", limit=_LARGEST_PACK)), {})


def _number(content: bytes | memoryview, place: int, *, bits: int = 7) -> tuple[int, int]:
    """A number whose lowest bits come first, and the place after it."""
    byte = content[place]
    number, shift = byte & (1 << bits) - 1, bits
    while byte & 0x80:
        if shift > _WIDEST:
            raise ValueError("too large a number")
        place += 1
        byte = content[place]
        number |= (byte & 0x7F) << shift
        shift += 7
    return number, place + 1


def _distance(content: memoryview, place: int) -> tuple[int, int]:
    """How far before an object the one is that it is a difference to, and the place after it."""
    byte = content[place]
    number = byte & 0x7F
    while byte & 0x80:
        place += 1
        byte = content[place]
        number = number + 1 << 7 | byte & 0x7F
    return number, place + 1


def _unpacked(content: memoryview, place: int, size: int) -> bytes:
    if size > _LARGEST:
        raise ValueError("too large")
    unpacked = zlib.decompressobj()
    # What cannot be compressed takes a little more than before.
    found = unpacked.decompress(content[place : place + size + size // 8 + 128], size + 1)
    if len(found) != size:
        raise ValueError("an object of another size")
    return found


def _patched(base: bytes, delta: bytes) -> bytes:
    """An object by its difference to another: pieces of that one, and new ones."""
    _, place = _number(delta, 0)
    size, place = _number(delta, place)
    if size > _LARGEST:
        raise ValueError("too large")
    pieces, left = [], size
    while place < len(delta) and left >= 0:  # a piece takes few bytes, and may be large
        code = delta[place]
        place += 1
        if not code:
            raise ValueError("a difference of an unknown kind")
        if not code & 0x80:
            pieces.append(delta[place : place + code])
            place += code
            left -= code
            continue
        # Bits say which bytes of the place and of the length are there.
        begin = length = 0
        for bit, shift in _PLACES:
            if code & bit:
                begin |= delta[place] << shift
                place += 1
        for bit, shift in _LENGTHS:
            if code & bit:
                length |= delta[place] << shift
                place += 1
        length = length or 0x10000
        pieces.append(base[begin : begin + length])
        left -= length
    content = b"".join(pieces)
    if len(content) != size:
        raise ValueError("a difference that is not whole")
    return content
