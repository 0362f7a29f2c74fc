"""Digests: short byte strings that are equal where contents and values are equal."""

from __future__ import annotations

import marshal
import os
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commodore_py.model.tree import Entry, Tree

    from .roots import Roots

NOTHING = b""
"""There is none."""
UNREADABLE = b"!"
"""Something of another kind, or not readable."""
UNKNOWN = b"?"
"""The question cannot be answered in this working directory; no record holds this."""

# Later versions of marshal write shared values as references, which depend on reference counts.
BY_VALUE = 2
_SIZE = 32


def digest(content: bytes) -> bytes:
    """The digest of some bytes."""
    return blake2b(content, digest_size=_SIZE).digest()


def key_of(*parts: bytes) -> str:
    """One key of several parts, each with its length."""
    made = blake2b(digest_size=_SIZE)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.hexdigest()


def of_content(content: bytes | None, roots: Roots) -> bytes:
    """The digest of a file's content."""
    return NOTHING if content is None else digest(content) + roots.named_in(content)


def of_entry(entry: Entry | None) -> bytes:
    """The digest of a file with its mode."""
    if entry is None:
        return NOTHING
    return digest(entry.content) + (b"x" if entry.executable else b"-")


def of_tree(tree: Tree) -> bytes:
    """The digest of a whole folder."""
    files = [(str(path), of_entry(entry)) for path, entry in tree.items()]
    folders = sorted(map(str, tree.empty_folders))
    return digest(marshal.dumps((files, folders), BY_VALUE))


def of_names(names: tuple[str, ...]) -> bytes:
    """The digest of a list of names."""
    return digest(marshal.dumps(names, BY_VALUE))


def serialised(value: object) -> bytes | None:
    """A value as bytes, equal for equal values; None if it holds what is not plain data."""
    try:
        return marshal.dumps(value, BY_VALUE)  # type: ignore[arg-type] # tried out here
    except ValueError:
        return None


class ValueDigests:
    """Digests of values that do not change; a value shared by many is digested once."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        # By identity; the value is held so that its address is not reused.
        self._known: dict[int, tuple[object, bytes]] = {}

    def of(self, value: object) -> bytes:
        """The digest of a value; a random one if the value is not plain data."""
        if not isinstance(value, dict | list):
            return self._made(value)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._made(value))
        return known[1]

    def _made(self, value: object) -> bytes:
        text = serialised(value)
        if text is None:
            return os.urandom(_SIZE)
        return digest(text) + self._roots.named_in(text)
