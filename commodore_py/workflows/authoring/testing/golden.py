"""Expected output of test cases: compared with what was compiled, and written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py import catalog
from commodore_py.adapters.files import read_tree, remove, write_tree
from commodore_py.errors import CommodoreError
from commodore_py.model import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model import Change


def change_of(folder: Path, compiled: Tree) -> Change:
    """What would change if the output became the expected one."""
    try:
        expected = read_tree(folder) if folder.is_dir() else Tree()
    except OSError as error:
        raise CommodoreError(
            f"cannot read expected output: {error.strerror}", where=str(error.filename)
        ) from error
    return catalog.change_between(expected, compiled)


def accept(folder: Path, compiled: Tree) -> None:
    """Make the output the expected one; only what differs is written."""
    try:
        # Git knows no empty folders, so these are nobody's expectation.
        write_tree(folder, Tree(dict(compiled)))
    except OSError as error:
        raise CommodoreError(
            f"cannot write expected output: {error.strerror}", where=str(error.filename)
        ) from error


def drop(folders: Iterable[Path]) -> None:
    """Remove expected output that belongs to no case."""
    for folder in folders:
        remove(folder)
