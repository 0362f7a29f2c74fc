"""Bare repositories: made with the content of a remote, put in place, and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove, remove_empty, rename
from commodore_py.adapters.git.program import fetch, git
from commodore_py.adapters.process import ProgramFailed

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = frozenset(
    ("branches", "hooks", "info", "logs", "modules", "objects", "refs", "reftable", "worktrees")
)
"""Directories of a bare repository."""

_OTHER_FORMAT = "mismatched algorithms"


def make_bare(folder: Path, address: str) -> None:
    """Make a bare repository with all branches and tags of a remote, if one is named."""
    for object_format in ("sha1", "sha256"):
        how = ("--quiet", "--bare", "--initial-branch=master", f"--object-format={object_format}")
        git(folder.parent, "init", *how, folder.name)
        try:
            if address:
                fetch(folder, address, replace_tags=True)
        except ProgramFailed as error:
            if _OTHER_FORMAT not in error.stderr:
                raise
            remove(folder)
        else:
            return


def remove_bare(bare: Path) -> None:
    """Remove a bare repository; others may be below it, as a remote's path may begin with its."""
    for entry in bare.iterdir() if bare.is_dir() else ():
        if not entry.is_dir() or entry.is_symlink() or entry.name in FOLDERS:
            remove(entry)
    remove_empty(bare)


def put_in_place(aside: Path, bare: Path) -> None:
    """Move a new bare repository to its path, where only others may be below it."""
    if not bare.is_dir():
        rename(aside, bare)
        return
    for entry in sorted(aside.iterdir(), key=lambda entry: entry.name == "HEAD"):
        rename(entry, bare / entry.name)
