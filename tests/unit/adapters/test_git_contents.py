"""Packs that no Git writes."""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.contents import Contents

if TYPE_CHECKING:
    from pathlib import Path

_BLOB, _BY_DISTANCE = 3, 6
_BASE, _NAME = bytes(1 << 20), "ab" * 20


def _number(number: int, first: int = 0, bits: int = 7) -> bytes:
    found, rest = [first | number & (1 << bits) - 1], number >> bits
    while rest:
        found[-1] |= 0x80
        found.append(rest & 0x7F)
        rest >>= 7
    return bytes(found)


def _repository(folder: Path, delta: bytes) -> Path:
    """A repository with one pack, in which a blob is a difference to a large one."""
    packs = folder / "objects/pack"
    packs.mkdir(parents=True)
    base = _number(len(_BASE), _BLOB << 4, 4) + zlib.compress(_BASE)
    begin = 12 + len(base)
    # How far before it the base is: in two bytes, the highest bits first.
    distance = len(base) - 0x80
    back = bytes([0x80 | distance >> 7, distance & 0x7F])
    one = _number(len(delta), _BY_DISTANCE << 4, 4) + back + zlib.compress(delta)
    content = b"PACK" + struct.pack(">2I", 2, 2) + base + one
    (packs / "pack-x.pack").write_bytes(content + bytes(20))
    fanout = struct.pack(">256I", *(int(first >= 0xAB) for first in range(256)))
    index = b"\xfftOc\0\0\0\2" + fanout + bytes.fromhex(_NAME) + bytes(4)
    (packs / "pack-x.idx").write_bytes(index + struct.pack(">I", begin) + bytes(40))
    return folder


def test_a_difference_is_read(tmp_path: Path) -> None:
    delta = _number(len(_BASE)) + _number(5) + b"\x90\x03" + b"\x02ab"

    assert Contents(str(_repository(tmp_path, delta))).of(_NAME, "blob") == b"\0\0\0ab"


@pytest.mark.parametrize(
    "delta",
    [
        pytest.param(b"\x05\x0a" + b"\xc0\x10" * 1000, id="larger than it says"),
        pytest.param(b"\x05" + _number(1 << 40) + b"\xc0\x10" * 1000, id="too large"),
        pytest.param(b"\xff" * (1 << 20), id="a number without end"),
    ],
)
def test_a_difference_takes_no_more_memory_than_an_object(tmp_path: Path, delta: bytes) -> None:
    contents = Contents(str(_repository(tmp_path, delta)))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"large|whole"):
            contents.of(_NAME, "blob")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
