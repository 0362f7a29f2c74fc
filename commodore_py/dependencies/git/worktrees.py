"""Worktrees of bare clones, one per dependency: add, update, move and remove."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.program import git, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import clone_of, remote_settings
from commodore_py.adapters.git.status import Status, status
from commodore_py.adapters.git.worktrees import (
    add_worktree,
    reconnect,
    switch_worktree,
    worktrees_of,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    in_the_way,
    is_empty,
    keep_branch,
    keep_head,
    move_aside,
    not_ours_to_replace,
    put_aside,
    unpushed,
)
from commodore_py.dependencies.protection.undo import journaled, remove_incomplete
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.dependencies.protection.checkouts import Checkouts
    from commodore_py.dependencies.protection.journal import Journal
    from commodore_py.model.dependency import DependencySpec

    from .revisions import Found

log = logging.getLogger(__name__)


class Seen(NamedTuple):
    """What is in the place of a worktree, before anything is changed."""

    status: Status | None = None
    """None if there is nothing, or something that must make room."""
    makes_room: bool = False
    """Whether a checkout of another repository is there."""
    incomplete: bool = False
    """Whether Git was killed while it made the worktree."""

    @property
    def branch(self) -> str:
        """The branch of the worktree; empty if there is none."""
        return (self.status.branch if self.status is not None else None) or ""


def look(spec: DependencySpec, worktree: Path, bare: Path, checkouts: Checkouts) -> Seen:
    """What is in the place of a worktree; raises if it is not ours, or cannot be read."""
    linked = (worktree / ".git").is_file() and not worktree.is_symlink()
    if linked and checkouts.is_elsewhere and bare.is_dir():
        reconnect(worktree, bare)
    if linked:
        now = _status(worktree)
        known = checkouts.at(worktree, now.commit if now is not None else "")
        key = git_urls.dependency_key
        ours = known is not None and key(known.url) == key(spec.url)
        if now is not None and (ours or _belongs_to(worktree, bare)):
            return _complete(Seen(now), worktree, bare)
        if now is None and bare.is_dir():
            return _lost_link(spec, worktree, bare)
    return _other(spec, worktree)


def _status(worktree: Path) -> Status | None:
    try:
        # Untracked files stay where they are, so they are in no danger.
        return status(worktree, untracked=False)
    except ProgramFailed:
        return None


def _belongs_to(worktree: Path, bare: Path) -> bool:
    clone = clone_of(worktree)
    return clone is not None and clone.resolve() == bare.resolve()


def _complete(seen: Seen, worktree: Path, bare: Path) -> Seen:
    """What Git did not finish has changes, or no commit."""
    now = seen.status
    suspect = now is not None and (now.changes or now.commit is None)
    return seen._replace(incomplete=True) if suspect and _is_incomplete(worktree, bare) else seen


def _is_incomplete(worktree: Path, bare: Path) -> bool:
    place = worktree.resolve()
    return any(one.incomplete and one.path.resolve() == place for one in worktrees_of(bare))


def _lost_link(spec: DependencySpec, worktree: Path, bare: Path) -> Seen:
    """A worktree that Git does not find from its place."""
    if _is_incomplete(worktree, bare):
        return Seen(incomplete=True)
    reconnect(worktree, bare)
    if _belongs_to(worktree, bare):
        return Seen(status(worktree, untracked=False))
    return _other(spec, worktree)


def _other(spec: DependencySpec, worktree: Path) -> Seen:
    problem = not_ours_to_replace(str(spec), worktree)
    if problem is not None:
        if (worktree / ".git").is_file() and not worktree.is_symlink():
            raise CommodoreError(
                f"{spec}: the clone that this checkout belongs to is gone; nothing was touched",
                where=str(worktree),
                hint="move it away; it is checked out again by the next run",
            )
        raise problem
    if not worktree.exists() or is_empty(worktree):
        return Seen()
    return Seen(makes_room=True)


def local_work(
    spec: DependencySpec, worktree: Path, seen: Seen, wanted: str, checkouts: Checkouts
) -> LocalWork | None:
    """Work that an update to the wanted commit would lose, unless it is forced."""
    if seen.incomplete:
        return None
    if seen.makes_room:
        return _work_that_makes_room(spec, worktree)
    now = seen.status
    if now is None:
        return None
    work = described(now)
    published = now.commit is None or now.commit == wanted or now.ahead == 0
    if not published and checkouts.at(worktree, now.commit) is None:
        work += unpushed(worktree, "HEAD")
    return LocalWork.found(str(spec), worktree, work) if work else None


def _work_that_makes_room(spec: DependencySpec, worktree: Path) -> LocalWork | None:
    now = status(worktree, untracked=True)
    old = without_secrets(remote_settings(worktree).get("url", "nowhere"))
    new = without_secrets(spec.url)
    linked = (worktree / ".git").is_file()
    starts = ("HEAD",) if linked else ("HEAD", "--branches")
    work = [*described(now), *(unpushed(worktree, *starts) if now.commit else [])]
    if linked:
        why = f", and its repository changed from {old} to {new}"
    else:
        work += ["a stash"] if commit_of(worktree, "refs/stash") else []
        why = f", and a clone of {old} must make room for a worktree of {new}"
    return LocalWork.found(str(spec), worktree, work, why=why) if work else None


def put_work_aside(spec: DependencySpec, worktree: Path, *, ignored: Sequence[str] = ()) -> None:
    """Back up local work under refs; afterwards the worktree is clean or removed."""
    if (worktree / ".git").is_file():
        put_aside(worktree, str(spec), kept_in=clone_of(worktree) or worktree, ignored=ignored)
        git(worktree, "reset", "--quiet", "--hard")
        return
    # A clone keeps its refs and stashes to itself: it is moved as a whole.
    move_aside(f"{spec}: the clone with local work", worktree)


def check_out(
    spec: DependencySpec,
    worktree: Path,
    bare: Path,
    found: Found,
    seen: Seen,
    journal: Journal,
    checkouts: Checkouts,
    *,
    fresh: bool,
    force: bool,
) -> None:
    """Put a commit into the worktree, which is added or replaced where needed.

    Nothing is known of worktrees in a `fresh` clone.
    """
    if seen.incomplete:
        known = seen.status.commit if seen.status is not None else None
        remove_incomplete(worktree, bare, known or found.commit)
    elif seen.makes_room and (worktree / ".git").exists():
        old = remote_settings(worktree).get("url", "nowhere")
        # The same after `git remote set-url`: objects are those of the former one.
        log.warning(
            "%s is checked out again: its repository was %s and is %s now",
            spec,
            without_secrets(old) if old != spec.url else "another one",
            without_secrets(spec.url),
        )
        _discard(spec, worktree)
    if not (worktree / ".git").exists():
        worktree.parent.mkdir(parents=True, exist_ok=True)
        branch = found.branch
        if not fresh:
            branch = _prepare(bare, found, checkouts)
        add_worktree(worktree, bare, found.commit, branch)
    else:
        _update(spec, worktree, bare, found, seen, journal, force=force)


def _prepare(bare: Path, found: Found, checkouts: Checkouts) -> str:
    """Keep what a new worktree would have Git forget; returns the branch that it can have."""
    present = []
    for one in worktrees_of(bare):
        if one.path.is_dir():
            present.append(one.branch)
        elif checkouts.at(one.path, one.commit) is None:
            keep_head(bare, one)
    git(bare, "worktree", "prune")
    # Git allows a branch in one worktree only; the second one just has its commit.
    if not found.branch or found.branch in present:
        return ""
    keep_branch(bare, found.branch, found.commit)
    return found.branch


def _update(
    spec: DependencySpec,
    worktree: Path,
    bare: Path,
    found: Found,
    seen: Seen,
    journal: Journal,
    *,
    force: bool,
) -> None:
    before = (seen.status.commit if seen.status is not None else None) or ""
    branch = found.branch
    if branch and branch != seen.branch:
        place = worktree.resolve()
        present = [one for one in worktrees_of(bare) if one.path.is_dir()]
        taken = any(one.branch == branch and one.path.resolve() != place for one in present)
        branch = "" if taken else branch
    if (before, seen.branch) == (found.commit, branch):
        return
    if branch and branch != seen.branch:
        keep_branch(bare, branch, found.commit)
    try:
        with journaled(journal, worktree, before=before, after=found.commit):
            switch_worktree(worktree, found.commit, branch)
    except ProgramFailed as error:
        names = in_the_way(error.stderr)
        if not names:
            raise
        if not force:
            raise LocalWork.blocking(str(spec), worktree, names, spec.version) from error
        put_work_aside(spec, worktree, ignored=names)
        with journaled(journal, worktree, before=before, after=found.commit):
            switch_worktree(worktree, found.commit, branch, force=True)


def _discard(spec: DependencySpec, worktree: Path) -> None:
    ignored = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory")
    clone = clone_of(worktree) if (worktree / ".git").is_file() else None
    if git(worktree, *ignored):  # not counted as work, but they exist nowhere else
        move_aside(f"{spec}: the old checkout with ignored files", worktree)
    else:
        # At once: half a checkout would look like deleted files.
        aside = aside_of(worktree)
        worktree.rename(aside)
        remove(aside)
    if clone is not None and clone.is_dir():
        succeeds(clone, "worktree", "remove", "--force", "--force", str(worktree))
