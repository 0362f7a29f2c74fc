"""Marks: short texts that are equal where contents and values are."""

from __future__ import annotations

import hashlib
import marshal
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commodore_py.model.tree import Entry, Tree

    from .roots import Roots

NOTHING = b""
"""There is none."""
UNREADABLE = b"!"
"""There is something else, or nobody may read it."""

UNKNOWN = b"?"
"""The question makes no sense here; no record holds such an answer."""

# Later versions write shared values as references, by how often something is held in memory.
_BY_VALUE_ALONE = 2
_NEVER_AGAIN = 32


def mark_of(content: bytes) -> bytes:
    """The mark of some bytes."""
    return hashlib.blake2b(content, digest_size=32).digest()


def mark_of_content(content: bytes | None, roots: Roots) -> bytes:
    """The mark of what a file holds."""
    return NOTHING if content is None else mark_of(content) + roots.named_in(content)


def mark_of_entry(entry: Entry | None) -> bytes:
    """The mark of a file with its mode."""
    if entry is None:
        return NOTHING
    return mark_of(entry.content) + (b"x" if entry.executable else b"-")


def mark_of_tree(tree: Tree) -> bytes:
    """The mark of a whole folder."""
    files = [(str(path), mark_of_entry(entry)) for path, entry in tree.items()]
    folders = sorted(map(str, tree.empty_folders))
    return mark_of(marshal.dumps((files, folders), _BY_VALUE_ALONE))


def mark_of_names(names: tuple[str, ...]) -> bytes:
    """The mark of a list of names."""
    return mark_of(marshal.dumps(names, _BY_VALUE_ALONE))


def written(value: object) -> bytes | None:
    """A value as bytes, equal for equal values; None if it holds what no data format can."""
    try:
        return marshal.dumps(value, _BY_VALUE_ALONE)  # type: ignore[arg-type] # tried out here
    except ValueError:
        return None


class Marks:
    """Marks of values that nobody changes: one that many share is marked once."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        # The value is held, so that no other gets its address.
        self._known: dict[int, tuple[object, bytes]] = {}

    def of(self, value: object) -> bytes:
        """The mark of a value; of one that cannot be written, a mark that is never found again."""
        if not isinstance(value, dict | list):
            return self._made(value)
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._made(value))
        return known[1]

    def _made(self, value: object) -> bytes:
        text = written(value)
        if text is None:
            return os.urandom(_NEVER_AGAIN)
        return mark_of(text) + self._roots.named_in(text)
