"""What files of the store look like inside: nothing is believed that does not add up."""

from __future__ import annotations

import hashlib
import zlib

from .digest import DIGEST_SIZE, digest_of

_PLAIN, _PACKED = b"=", b"z"
# Unpacking takes several times as long as reading; only what is large is worth its place.
_LARGE = 256 * 1024
_QUICK = 1


def blob_file(content: bytes) -> bytes:
    """A content as it is written."""
    if len(content) >= _LARGE:
        packed = zlib.compress(content, _QUICK)
        if len(packed) < len(content) // 2:
            return _PACKED + packed
    return _PLAIN + content


def blob_of(file: bytes, digest: str) -> bytes | None:
    """The content of such a file, if it is the one of that digest."""
    kind, content = file[:1], file[1:]
    if kind == _PACKED:
        try:
            content = zlib.decompress(content)
        except zlib.error:
            return None
    elif kind != _PLAIN:
        return None
    return content if digest_of(content) == digest else None


def note_file(content: bytes, key: str) -> bytes:
    """A note as it is written."""
    return _seal(content, key) + content


def note_of(file: bytes, key: str) -> bytes | None:
    """The note in such a file, if it is whole and was made for that key."""
    content = file[DIGEST_SIZE:]
    return content if file[:DIGEST_SIZE] == _seal(content, key) else None


def _seal(content: bytes, key: str) -> bytes:
    seal = hashlib.blake2b(key.encode(), digest_size=DIGEST_SIZE, person=b"commodore note")
    seal.update(content)
    return seal.digest()
