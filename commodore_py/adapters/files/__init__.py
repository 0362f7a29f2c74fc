"""Files and folders: read within limits, written aside and swapped, and only where they differ."""

from __future__ import annotations

from .trees import MOST_BYTES, MOST_FILES, read_tree, write_tree, write_trees
from .writing import (
    aside_of,
    asides_in,
    is_aside,
    is_executable,
    link,
    remove,
    write_if_changed,
)

__all__ = [
    "MOST_BYTES",
    "MOST_FILES",
    "aside_of",
    "asides_in",
    "is_aside",
    "is_executable",
    "link",
    "read_tree",
    "remove",
    "write_if_changed",
    "write_tree",
    "write_trees",
]
