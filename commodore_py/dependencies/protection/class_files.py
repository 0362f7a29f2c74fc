"""Class files of the configuration, replaced as a whole while others may change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files.exchange import (
    refuse_changed,
    swap_in,
    sync_folder,
    write_beside,
)
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths

_SUFFIXES = (".yml", ".yaml")


def replace_class_file(paths: WorkPaths, file: Path, before: bytes, after: bytes) -> None:
    """Replace a file that still has its old content.

    The new content comes to its place in one step: a process that is killed leaves one or the
    other. What it leaves in the state folder is overwritten by the next edit.
    """
    refuse_other_files(paths, file)
    refuse_changed(file, before)
    beside = paths.state / "edit.new"
    try:
        write_beside(file, beside, after)
        swap_in(file, beside, before)
    except OSError as error:
        raise CommodoreError(f"cannot write: {error.strerror}", where=str(file)) from error
    sync_folder(file.parent)


def refuse_other_files(paths: WorkPaths, file: Path) -> None:
    """Refuse whatever is not a class file of the configuration, by its own name.

    A link that a repository brings could name any file.
    """
    classes = paths.root.resolve() / paths.classes.relative_to(paths.root)
    below = file.relative_to(classes).parts if file.is_relative_to(classes) else ()
    own = not {"..", ".git"} & {part.lower() for part in below} and file.suffix in _SUFFIXES
    if not below or not own or file.resolve() != file:
        raise CommodoreError(
            "not a class file of the global or the tenant configuration",
            where=str(file),
            hint="edits are written below inventory/classes only, and not through links",
        )
