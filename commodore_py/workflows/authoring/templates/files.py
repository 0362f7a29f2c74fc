"""Files of a repository that a template changes: read, compared, written, and who commits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files import is_executable, write_if_changed
from commodore_py.adapters.reading import content_of
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.text import diff_text
from commodore_py.catalog.identity import committer
from commodore_py.config import Author
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path, PurePosixPath

    from commodore_py.model.catalog import DiffLine


def diff(before: Tree, after: Tree) -> tuple[DiffLine, ...]:
    """Files that were added and removed, and the lines of those that changed."""
    return diff_text(change_between(before, after))


def git_identity(folder: Path) -> dict[str, str]:
    """Author and committer of commits in a folder, as Git's environment variables."""
    who = committer(Author(), folder)
    return {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", who.name), ("EMAIL", who.email))
    }


def read_files(folder: Path, paths: Iterable[PurePosixPath]) -> Tree:
    """Those of the files that exist."""
    found = {}
    for path in paths:
        file = folder / path
        if file.is_file():
            found[path] = Entry(content_of(file), executable=is_executable(file))
    return Tree(found)


def write_changes(folder: Path, changed: Mapping[PurePosixPath, Entry | None]) -> None:
    """Write and delete files of a folder."""
    for path, entry in changed.items():
        if entry is not None:
            write_if_changed(folder / path, entry.content, executable=entry.executable)
            continue
        if (folder / path).is_symlink() or (folder / path).is_file():
            (folder / path).unlink()
        for above in (folder / path).parents:
            if above == folder or not above.is_dir() or any(above.iterdir()):
                break
            above.rmdir()
