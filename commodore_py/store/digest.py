"""Digests that name contents."""

from __future__ import annotations

import hashlib

DIGEST_SIZE = 32
_HEX = frozenset("0123456789abcdef")
_LEAST = 8


def digest_of(content: bytes) -> str:
    """The name of a content: strong, and as fast on machines without instructions for SHA."""
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).hexdigest()


def is_key(text: str) -> bool:
    """Whether a text is safe as the name of a file, and long enough to be spread over folders."""
    return len(text) >= _LEAST and _HEX.issuperset(text)
