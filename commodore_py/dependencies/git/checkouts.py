"""Checkouts: local work is found before anything changes, then a commit is checked out.

Those of dependencies are worktrees of bare clones. Those of configurations have their own clone.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import make_folder, remove_at_once
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.repository import clone_of, remote_settings
from commodore_py.adapters.git.status import Status, status
from commodore_py.adapters.git.worktrees import (
    add_worktree,
    clone_beside,
    reconnect,
    reconnect_moved,
    switch_worktree,
    worktrees_of,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.journal import journaled, remove_incomplete
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    forget_deleted,
    holds_repositories,
    in_the_way,
    is_empty,
    keep_branch,
    move_aside,
    not_ours_to_replace,
    put_aside,
    unpushed,
    whole_work,
)
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.dependencies.protection.checkout_record import CheckoutRecord
    from commodore_py.dependencies.protection.journal import Journal
    from commodore_py.model.dependency import DependencySpec

    from .revisions import Found

log = logging.getLogger(__name__)


class Place(NamedTuple):
    """The directory of a checkout, and the clone that it belongs to."""

    spec: DependencySpec
    path: Path
    clone: Path
    """Its own directory, if it is not a worktree."""

    @property
    def is_worktree(self) -> bool:
        """True if it shares its clone with other checkouts."""
        return self.clone != self.path


@dataclass(frozen=True, slots=True)
class Seen:
    """State of a place, before anything is changed."""

    status: Status | None = None
    """None if there is nothing, or something that must make room."""
    makes_room: bool = False
    """Whether a checkout of another repository is there."""
    incomplete: bool = False
    """Whether Git was killed while it made the worktree."""

    @property
    def commit(self) -> str:
        """The commit that is checked out; empty if there is none."""
        return (self.status.commit if self.status is not None else None) or ""

    @property
    def branch(self) -> str:
        """The branch that is checked out; empty if there is none."""
        return (self.status.branch if self.status is not None else None) or ""


def look(place: Place, record: CheckoutRecord) -> Seen:
    """Look at a place; raises if it is not ours, or cannot be read."""
    spec, path, _ = place
    if not path.is_symlink():
        if not path.exists() or is_empty(path):
            return Seen()
        if not place.is_worktree and (now := _status(place)) is not None:
            return Seen(now)
        if place.is_worktree and (path / ".git").is_file():
            return _look_at_worktree(place, record)
    problem = not_ours_to_replace(str(spec), path)
    if problem is not None:
        raise problem
    return Seen(makes_room=True) if place.is_worktree else Seen(status(path, untracked=True))


def _look_at_worktree(place: Place, record: CheckoutRecord) -> Seen:
    spec, path, clone = place
    # If the address of its repository has changed as well, the clone has another name.
    present = clone if clone.is_dir() else clone_beside(path)
    if present is not None:
        reconnect(path, present)
    now = _status(place)
    if now is None and clone.is_dir() and _is_incomplete(place):
        return Seen(incomplete=True)
    if now is None:
        raise CommodoreError(
            f"{spec}: the clone that this checkout belongs to is gone; nothing was touched",
            where=str(path),
            hint="move it away; it is checked out again by the next run",
        )
    checked_out = record.at(path, now.commit)
    if (checked_out is None or checked_out.url != git_urls.normalise(spec.url)) and (
        clone_of(path) or path
    ).resolve() != clone.resolve():
        return Seen(makes_room=True)
    # What Git did not finish has changes, or no commit.
    suspect = bool(now.changes) or now.commit is None
    return Seen(now, incomplete=suspect and _is_incomplete(place))


def _status(place: Place) -> Status | None:
    try:
        # Untracked files of worktrees stay where they are, so they are in no danger.
        if (place.path / ".git").exists():
            return status(place.path, untracked=not place.is_worktree)
    except ProgramFailed:
        pass
    return None


def _is_incomplete(place: Place) -> bool:
    path = place.path.resolve()
    return any(
        worktree.incomplete and worktree.path.resolve() == path
        for worktree in worktrees_of(place.clone)
    )


def local_work(place: Place, seen: Seen, target: str, record: CheckoutRecord) -> LocalWork | None:
    """Work that an update to the target commit would lose, unless it is forced."""
    spec, path, _ = place
    if seen.incomplete:
        return None
    if seen.makes_room:
        return _work_that_makes_room(place, record)
    if seen.status is None:
        return None
    work = described(seen.status)
    published = seen.commit in ("", target) or seen.status.ahead == 0
    if not published and record.at(path, seen.commit) is None:
        work += unpushed(path, "HEAD", *(() if place.is_worktree else ("--branches",)))
    return LocalWork.found(str(spec), path, work) if work else None


def _work_that_makes_room(place: Place, record: CheckoutRecord) -> LocalWork | None:
    spec, path, _ = place
    work = whole_work(path, recorded=lambda commit: record.at(path, commit) is not None)
    if not work:
        return None
    old = without_secrets(remote_settings(path).get("url", "nowhere"))
    new = without_secrets(spec.url)
    why = f", and a clone of {old} must make room for a worktree of {new}"
    if (path / ".git").is_file():
        why = f", and its repository changed from {old} to {new}"
    return LocalWork.found(str(spec), path, work, why=why)


def put_work_aside(place: Place, *, ignored: Sequence[str] = ()) -> None:
    """Back up local work under refs; afterwards the checkout is clean or removed."""
    if place.is_worktree and not (place.path / ".git").is_file():
        # A clone keeps its refs and stashes to itself: it is moved as a whole.
        move_aside(f"{place.spec}: the clone with local work", place.path)
        return
    kept_in = (clone_of(place.path) if place.is_worktree else None) or place.path
    put_aside(place.path, str(place.spec), kept_in=kept_in, ignored=ignored)
    clean(place.path, untracked=not place.is_worktree)


def clean(directory: Path, *, untracked: bool) -> None:
    """Restore all files of a checkout."""
    succeeds(directory, "reset", "--quiet", "--hard")  # not before there is a commit
    if untracked:
        git(directory, "clean", "--quiet", "-d", "--force")


def add(place: Place, revision: Found, record: CheckoutRecord, *, fresh: bool) -> None:
    """Add a worktree; nothing is known of others in a `fresh` clone."""
    make_folder(place.path.parent)
    branch = revision.branch if fresh else _prepare(place, revision, record)
    add_worktree(place.path, place.clone, revision.commit, branch)


def _prepare(place: Place, revision: Found, record: CheckoutRecord) -> str:
    """Keep what a new worktree would have Git forget; returns the branch that it can have."""
    bare = place.clone
    reconnect_moved(bare, place.path.parent)
    present = forget_deleted(
        bare, recorded=lambda worktree: record.at(worktree.path, worktree.commit) is not None
    )
    # Git allows a branch in one worktree only; the second one just has its commit.
    if not revision.branch or revision.branch in present:
        return ""
    keep_branch(bare, revision.branch, revision.commit)
    return revision.branch


def make_room(place: Place, seen: Seen, revision: Found) -> None:
    """Remove an incomplete checkout, or one of another repository."""
    spec, path, clone = place
    if seen.incomplete:
        remove_incomplete(path, clone, seen.commit or revision.commit)
    elif seen.makes_room and (path / ".git").exists():
        old = remote_settings(path).get("url", "nowhere")
        # The same after `git remote set-url`: objects are those of the former one.
        log.warning(
            "%s is checked out again: its repository was %s and is %s now",
            spec,
            without_secrets(old) if old != spec.url else "another one",
            without_secrets(spec.url),
        )
        _discard(place)


def _discard(place: Place) -> None:
    path = place.path
    ignored = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory")
    clone = clone_of(path) if (path / ".git").is_file() else None
    # These are not counted as work, but they exist nowhere else.
    if git(path, *ignored) or holds_repositories(path):
        move_aside(f"{place.spec}: the old checkout with files that Git does not track", path)
    else:
        remove_at_once(path)
    if clone is not None and clone.is_dir():
        succeeds(clone, "worktree", "remove", "--force", "--force", str(path))


def switch(
    place: Place,
    revision: Found,
    seen: Seen,
    journal: Journal,
    record: CheckoutRecord,
    *,
    force: bool,
) -> None:
    """Check out another commit; files in the way are local work."""
    spec, path, clone = place
    branch = revision.branch
    shared = record.others_of(path, git_urls.normalise(spec.url))
    if branch and place.is_worktree and (shared or branch != seen.branch):
        branch = "" if _is_taken(place, branch) else branch
    if (seen.commit, seen.branch) == (revision.commit, branch):
        return
    if branch and branch != seen.branch:
        keep_branch(clone, branch, revision.commit)
    try:
        with journaled(journal, path, before=seen.commit, after=revision.commit):
            switch_worktree(path, revision.commit, branch)
    except ProgramFailed as error:
        names = in_the_way(error.stderr)
        if not names:
            raise
        if not force:
            raise LocalWork.blocking(str(spec), path, names, spec.version) from error
        put_work_aside(place, ignored=names)
        with journaled(journal, path, before=seen.commit, after=revision.commit):
            switch_worktree(path, revision.commit, branch, force=True)


def _is_taken(place: Place, branch: str) -> bool:
    """Return whether another worktree has a branch."""
    path = place.path.resolve()
    present = (worktree for worktree in worktrees_of(place.clone) if worktree.path.is_dir())
    return any(
        worktree.branch == branch and worktree.path.resolve() != path for worktree in present
    )
