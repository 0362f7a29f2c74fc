"""BLAKE2 digests without OpenSSL, which `hashlib` loads for other kinds of digests.

Loading it takes 3 ms, and a run in which nothing changed needs no other kind. Saved instructions:
nothing changed 3 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import enabled

__all__ = ["blake2b"]

if TYPE_CHECKING or not enabled():
    from hashlib import blake2b
else:
    try:
        from _blake2 import blake2b  # the same class
    except ImportError:
        from hashlib import blake2b
