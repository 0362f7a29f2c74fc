"""Undo an incomplete checkout: files that Git wrote are removed or restored, others are kept."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove, remove_empty
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import clone_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .checkout_files import is_free, is_there, version_of, written_by_git
from .journal import Intent
from .local_work import in_the_way, move_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .journal import Journal


@contextmanager
def journaled(
    journal: Journal | None, place: Path, *, before: str | None, after: str
) -> Iterator[None]:
    """Run a checkout that is undone if it does not finish, now or by the next run.

    A checkout that is not at its final path yet has no journal.
    """
    if journal is None:
        yield
        return
    intent = Intent(journal.name(place), before or "", after)
    file = journal.note(intent)
    try:
        yield
    except ProgramFailed as error:
        # What cannot be undone now stays in the journal.
        with suppress(CommodoreError):
            if not in_the_way(error.stderr):  # Git refuses before it changes anything
                take_back(journal.root, intent, began=file.stat().st_mtime)
            remove(file)
        raise
    remove(file)


def take_back(root: Path, intent: Intent, *, began: float) -> None:
    """Restore a checkout as it was before a step, unless that was completed."""
    place = root / intent.place
    clone = clone_of(place) if (place / ".git").exists() and not place.is_symlink() else None
    if clone is None or not clone.resolve().is_relative_to(root.resolve()):
        return  # it was removed or replaced by the user, or is a copy of one elsewhere
    if intent.after and commit_of(place, intent.after) is None:
        return  # nothing of it can have been written
    if commit_of(place, "HEAD") != (intent.before or None):
        return  # HEAD comes last; since then, changes are the user's
    old, new = (version_of(place, tree) for tree in (intent.before, intent.after))
    git(place, "reset", "--quiet", "--mixed")
    ours = written_by_git(place, (old, new), began=began)
    _remove_files(place, ours - old.keys())
    # Only where there is room: Git would remove a directory that is in a file's place.
    names = "".join(f"{path}\0" for path in sorted(ours & old.keys()) if is_free(place, path))
    how = ("checkout-index", "--force", "--index", "-z", "--stdin")
    git(place, *how, stdin=os.fsencode(names))


def remove_incomplete(place: Path, clone: Path, commit: str, *, began: float = 0) -> None:
    """Remove a worktree that was not completed, and keep what was put there since."""
    if place.is_dir() and not place.is_symlink():
        # The worktree may not know its clone yet.
        env = {"GIT_DIR": str(clone), "GIT_WORK_TREE": str(place)}
        version = version_of(clone, commit)
        _remove_files(place, written_by_git(place, (version,), began=began, env=env))
        remove(place / ".git")
        if any(names for _, _, names in os.walk(place)):
            move_aside("the content of an incomplete checkout", place)
        else:
            remove(place)
    succeeds(clone, "worktree", "remove", "--force", "--force", str(place))


def _remove_files(place: Path, paths: Iterable[str]) -> None:
    for path in paths:
        if is_there(place, path):
            remove(place / path)
        for folder in Path(path).parents[:-1]:
            remove_empty(place / folder)
