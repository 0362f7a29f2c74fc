"""How a catalog's files are written: only what differs, and nothing that is the user's."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.catalog.layout import is_hidden

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path, PurePosixPath

    from commodore_py.adapters.git.staging import Leaf
    from commodore_py.model.tree import Tree

log = logging.getLogger(__name__)

_SHOWN = 5


def write_owned(directory: Path, tree: Tree, owned: PurePosixPath) -> set[str]:
    """Make a folder of the catalog as it is in the tree; hidden entries at its top stay.

    Returns what was removed or replaced.
    """
    folder = directory / owned
    if folder.is_symlink() or not folder.is_dir():
        files.remove(folder)
        files.make_folder(folder)
    keep = frozenset(
        child.name
        for child in folder.iterdir()
        if is_hidden(child.name) and not _in_the_way(child, owned, tree)
    )
    gone = files.write_tree(folder, tree.subtree(owned), keep=keep)
    return {f"{owned}/{name}" for name in gone}


def _in_the_way(child: Path, owned: PurePosixPath, tree: Tree) -> bool:
    """Return whether a hidden entry is where a compiled folder has to be."""
    is_folder = child.is_dir() and not child.is_symlink()
    return not is_folder and owned / child.name in tree.folders()


def report_edits(
    directory: Path,
    gone: Collection[str],
    committed: Mapping[str, Leaf],
    rendered: Mapping[str, Leaf],
) -> None:
    """Warn of files that were not as they had been committed, and had to be for this catalog."""
    edited = [path for path in sorted(gone) if _is_edited(path, committed, rendered)]
    if edited:
        more = f" and {len(edited) - _SHOWN} more" if edited[_SHOWN:] else ""
        log.warning(
            "removed or overwritten in %s, as no commit has it: %s%s",
            directory,
            ", ".join(edited[:_SHOWN]),
            more,
        )


def _is_edited(path: str, committed: Mapping[str, Leaf], rendered: Mapping[str, Leaf]) -> bool:
    """Return whether a path that was replaced had something else than the commit."""
    if path in committed:
        # A file that the compile changes is replaced anyway.
        return committed[path] == rendered.get(path)
    # Or a folder that held files of the commit.
    return not any(other.startswith(f"{path}/") for other in committed)
