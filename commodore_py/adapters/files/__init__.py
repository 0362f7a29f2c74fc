"""Files and folders: read within limits, written aside and swapped, and only where they differ."""

from __future__ import annotations

from .opening import anchored, make_folder, opened
from .trees import MOST_BYTES, read_tree, write_tree, write_trees
from .writing import (
    append,
    aside_of,
    asides_in,
    copy_file,
    is_aside,
    is_executable,
    link,
    remove,
    remove_at_once,
    remove_empty,
    rename,
    write_if_changed,
    write_link,
)

__all__ = [
    "MOST_BYTES",
    "anchored",
    "append",
    "aside_of",
    "asides_in",
    "copy_file",
    "is_aside",
    "is_executable",
    "link",
    "make_folder",
    "opened",
    "read_tree",
    "remove",
    "remove_at_once",
    "remove_empty",
    "rename",
    "write_if_changed",
    "write_link",
    "write_tree",
    "write_trees",
]
