"""How a catalog's files are written: only what differs, and nothing that is the user's."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.catalog.layout import is_hidden

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from commodore_py.model.tree import Tree


def write_owned(
    directory: Path, tree: Tree, owned: PurePosixPath, *, dry_run: bool = False
) -> dict[str, os.stat_result]:
    """Make a folder of the catalog as it is in the tree; hidden entries at its top stay.

    Returns what was removed or replaced, as it was; in a dry run, what would be.
    """
    folder = directory / owned
    if folder.is_symlink() or not folder.is_dir():
        if dry_run:
            return {}
        files.remove(folder)
        folder.mkdir()
    keep = frozenset(
        PurePosixPath(child.name)
        for child in folder.iterdir()
        if is_hidden(child.name) and not _in_the_way(child, owned, tree)
    )
    gone = files.write_tree(folder, tree, below=owned, keep=keep, dry_run=dry_run)
    return {f"{owned}/{name}": found for name, found in gone.items()}


def _in_the_way(child: Path, owned: PurePosixPath, tree: Tree) -> bool:
    """Whether a hidden entry is where a compiled folder has to be."""
    is_folder = child.is_dir() and not child.is_symlink()
    return not is_folder and owned / child.name in tree.folders()
