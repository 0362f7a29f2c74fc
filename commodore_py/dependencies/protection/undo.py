"""Undo an incomplete checkout: what Git wrote is removed, all other files stay."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import configure_remote, git_folder_of
from commodore_py.adapters.git.worktrees import admins_in, is_complete, place_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .checkout_files import Version, is_free, is_there, written_by_git
from .journal import Intent
from .local_work import in_the_way, move_aside, record_checkout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .journal import Journal


@contextmanager
def journaled(
    journal: Journal | None,
    place: Path,
    *,
    before: str | None = "",
    after: str = "",
    clone: Path | None = None,
    url: str = "",
) -> Iterator[None]:
    """Run a step that is undone if it does not finish, now or by the next run.

    A checkout that is not at its final path yet has no journal.
    """
    if journal is None:
        yield
        return
    intent = Intent(
        place=journal.name(place),
        before=before or "",
        after=after,
        clone=journal.name(clone) if clone is not None else "",
        url=url,
    )
    file = journal.note(intent)
    try:
        yield
    except ProgramFailed as error:
        # What cannot be undone now stays in the journal.
        with suppress(CommodoreError):
            if not in_the_way(error.stderr):  # that is found out before anything is changed
                take_back(journal.root, intent, began=file.stat().st_mtime)
            file.unlink()
        raise
    file.unlink()


def take_back(root: Path, intent: Intent, *, began: float) -> None:
    """Make a checkout as it was before a step, unless that was completed."""
    place = root / intent.place
    if intent.clone:
        remove_incomplete(place, root / intent.clone, intent.after, began=began)
    elif not (place / ".git").exists() or not succeeds(place, "rev-parse", "--git-dir"):
        return  # the user removed it: there is nothing to undo
    elif intent.url:
        configure_remote(place, intent.url)
    else:
        _switch_back(place, intent.before, intent.after, began=began)


def remove_incomplete(place: Path, clone: Path, after: str, *, began: float) -> None:
    """Remove a worktree that was not completed, and keep what was put there since."""
    git_folder = git_folder_of(place)
    if git_folder is not None and is_complete(git_folder):
        record_checkout(place, git_folder, after)
        return
    if place.is_dir() and not place.is_symlink():
        # The worktree may not know its clone yet.
        env = {"GIT_DIR": str(clone), "GIT_WORK_TREE": str(place)}
        version = Version.of(clone, after)
        _remove_files(place, written_by_git(place, (version,), began=began, env=env))
        (place / ".git").unlink(missing_ok=True)
        if any(names for _, _, names in os.walk(place)):
            move_aside("the content of an incomplete checkout", place)
        else:
            remove(place)
    wanted = {os.path.realpath(place), None}
    for admin in incomplete_in(clone):
        if admin.resolve() == git_folder or place_of(admin) in wanted:
            remove(admin)


def incomplete_in(clone: Path) -> list[Path]:
    """What a bare clone knows of worktrees that were not completed, or not quite removed."""
    return [admin for admin in admins_in(clone) if not is_complete(admin)]


def _switch_back(place: Path, before: str, after: str, *, began: float) -> None:
    head = commit_of(place, "HEAD") or ""
    if head not in (before, after):
        return  # the user went on from there: what is in the files is theirs
    if head:
        record_checkout(place, git_folder_of(place) or place / ".git", head)
    if head != before:
        return  # HEAD comes last
    old, new = (Version.of(place, tree) for tree in (before, after))
    git(place, "reset", "--quiet", "--mixed")
    ours = written_by_git(place, (old, new), began=began)
    _remove_files(place, ours - old.files.keys())
    # Only where there is room: Git would remove a whole folder that is in a file's place.
    names = "".join(f"{path}\0" for path in sorted(ours & old.files.keys()) if is_free(place, path))
    how = ("checkout-index", "--force", "--index", "-z", "--stdin")
    git(place, *how, stdin=os.fsencode(names))


def _remove_files(place: Path, paths: Iterable[str]) -> None:
    for path in paths:
        if is_there(place, path):
            (place / path).unlink()
        for folder in Path(path).parents[:-1]:
            with suppress(OSError):  # it is not empty, or was never made
                if not (place / folder).is_symlink():
                    (place / folder).rmdir()
