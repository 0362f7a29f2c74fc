"""Class files of the configuration, replaced as a whole while others may change them."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths

_SUFFIXES = (".yml", ".yaml")


class Changed(CommodoreError):
    """A file has another content than the one that is to be replaced."""

    problem_code = "edit/changed"


def replace_class_file(paths: WorkPaths, file: Path, before: bytes, after: bytes) -> None:
    """Replace a file that still has its old content.

    The new content comes to its place in one step: a process that is killed leaves one or the
    other. What it leaves in the state folder is overwritten by the next edit.
    """
    refuse_other_files(paths, file)
    beside = paths.state / "edit.new"
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
        files.write_if_changed(beside, after)
        beside.chmod(mode)
        # Compared as late as possible: an editor may have saved the file in the meantime.
        if content_now(file) != before:
            files.remove(beside)
            raise Changed(
                "the file was changed in the meantime",
                where=str(file),
                hint="nothing was written; run the command again to edit what is there now",
            )
        files.rename(beside, file)
    except OSError as error:
        raise CommodoreError(f"cannot write: {error.strerror}", where=str(file)) from error


def content_now(file: Path) -> bytes | None:
    """The content of a file; None if there is none."""
    try:
        return bytes_of(str(file), follow=False)
    except OSError:
        return None


def refuse_other_files(paths: WorkPaths, file: Path) -> None:
    """Refuse whatever is not a class file of the configuration, by its own name.

    A link that a repository brings could name any file.
    """
    classes = paths.root.resolve() / paths.classes.relative_to(paths.root)
    below = file.relative_to(classes).parts if file.is_relative_to(classes) else ()
    is_class_file = (
        not {"..", ".git"} & {part.lower() for part in below} and file.suffix in _SUFFIXES
    )
    if not below or not is_class_file or file.resolve() != file:
        raise CommodoreError(
            "not a class file of the global or the tenant configuration",
            where=str(file),
            hint="edits are written below inventory/classes only, and not through links",
        )
