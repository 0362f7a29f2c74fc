"""Undo an incomplete checkout: files are those of the former commit again, others are backed up."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.adapters.git.program import git, git_bytes, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import clone_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

from .journal import Intent
from .local_work import ignored_in_the_way, in_the_way, move_aside, put_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .journal import Journal


@contextmanager
def journaled(journal: Journal, place: Path, *, before: str | None, after: str) -> Iterator[None]:
    """Run a checkout that is undone if it does not finish, now or by the next run."""
    intent = Intent(journal.name(place), before or "", after)
    file = journal.note(intent)
    try:
        yield
    except ProgramFailed as error:
        # What cannot be undone now stays in the journal.
        with suppress(CommodoreError):
            if not in_the_way(error.stderr):  # Git refuses before it changes anything
                take_back(journal.root, intent)
            remove(file)
        raise
    remove(file)


def take_back(root: Path, intent: Intent) -> None:
    """Restore a checkout as it was before a step, unless that was completed."""
    place = root / intent.place
    clone = clone_of(place) if (place / ".git").exists() and not place.is_symlink() else None
    if clone is None or not clone.resolve().is_relative_to(root.resolve()):
        return  # it was removed or replaced by the user, or is a copy of one elsewhere
    if not intent.after or commit_of(place, intent.after) is None:
        return  # nothing of it can have been written
    if commit_of(place, "HEAD") != (intent.before or None):
        return  # HEAD comes last; since then, changes are the user's
    # The user may have changed files since. Git's own are among what is backed up.
    ignored = ignored_in_the_way(place, intent.after)
    put_aside(place, intent.place, kept_in=clone, ignored=ignored)
    # The second command removes only files that are in the index.
    git(place, "read-tree", "--reset", "-u", intent.after)
    git(place, "reset", "--quiet", "--hard")


def remove_incomplete(place: Path, clone: Path, commit: str) -> None:
    """Remove a worktree that was not completed, and keep what was put there since."""
    if place.is_dir() and not place.is_symlink():
        if _holds_other_files(place, clone, commit):
            remove(place / ".git")
            move_aside("the content of an incomplete checkout", place)
        else:
            remove(place)
    succeeds(clone, "worktree", "remove", "--force", "--force", str(place))


def _holds_other_files(place: Path, clone: Path, commit: str) -> bool:
    """Return whether a folder has files other than those of a commit, some of them cut off."""
    import tempfile  # after a killed run only

    with tempfile.TemporaryDirectory() as scratch:
        # The worktree may not know its clone yet.
        env = {
            "GIT_DIR": str(clone),
            "GIT_WORK_TREE": str(place),
            "GIT_INDEX_FILE": str(Path(scratch) / "index"),
        }
        git(place, "read-tree", commit or "--empty", env=env)
        if git(place, "ls-files", "--others", env=env):
            return True
        changed = git(place, "diff", "--name-only", "--diff-filter=d", "-z", env=env)
        for name in changed.split("\0")[:-1]:
            whole = git_bytes(place, "cat-file", "--filters", f":{name}", env=env)
            file = place / name
            if file.is_symlink() or not whole.startswith(bytes_of(str(file), follow=False)):
                return True
    return False
