"""Worktrees of bare clones, one per dependency: add, update, move and remove."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git.objects import is_packed_commit
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import Refs, RevisionNotFound, commit_of
from commodore_py.adapters.git.repository import git_folder_of, remote_settings
from commodore_py.adapters.git.status import status
from commodore_py.adapters.git.worktrees import (
    add_worktree,
    admins_in,
    heads_of,
    is_complete,
    place_of,
    reconnect,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.local_work import (
    LocalWork,
    described,
    in_the_way,
    is_empty,
    is_recorded,
    keep_branch,
    keep_head,
    move_aside,
    not_ours_to_replace,
    put_aside,
    record_checkout,
    unpushed,
)
from commodore_py.dependencies.protection.undo import journaled, remove_incomplete
from commodore_py.errors import CommodoreError

from . import clean_check
from .clones import belongs_to
from .revisions import Found, find, require_complete

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from commodore_py.dependencies.protection.journal import Journal
    from commodore_py.model.dependency import DependencySpec

log = logging.getLogger(__name__)

_Heads: TypeAlias = "Mapping[Path, tuple[str, str]]"
"""Commits and branches of worktrees, by their folders in the clone."""


def obstacle(spec: DependencySpec, worktree: Path, bare: Path) -> CommodoreError | None:
    """What stands against updating a worktree; local work can be forced, the rest cannot."""
    reconnect(worktree, bare)
    git_folder = git_folder_of(worktree)
    if _is_incomplete(git_folder):
        return None
    if belongs_to(git_folder, bare) and not bare.is_dir():
        return CommodoreError(
            f"{spec}: the clone that this checkout belongs to is gone; nothing was touched",
            where=str(worktree),
            hint="move it away; it is checked out again by the next run",
        )
    if belongs_to(git_folder, bare) and not worktree.is_symlink():
        work = _own_work_in(worktree, bare)
        return LocalWork.found(str(spec), worktree, work) if work else None
    problem = not_ours_to_replace(str(spec), worktree)
    if problem is not None or not worktree.exists() or is_empty(worktree):
        return problem

    old = without_secrets(remote_settings(worktree).get("remote.origin.url", "nowhere"))
    new = without_secrets(spec.url)
    if git_folder_of(worktree) is not None:
        work = _work_in(worktree, untracked=True)
        why = f", and its repository changed from {old} to {new}"
    else:
        work = _work_in(worktree, "--branches", untracked=True)
        work += ["a stash"] if commit_of(worktree, "refs/stash") else []
        why = f", and a clone of {old} must make room for a worktree of {new}"
    return LocalWork.found(str(spec), worktree, work, why=why) if work else None


def put_work_aside(
    spec: DependencySpec, worktree: Path, journal: Journal, *, ignored: Sequence[str] = ()
) -> None:
    """Back up local work under refs; afterwards the worktree is clean or removed."""
    git_folder = git_folder_of(worktree)
    if git_folder is not None:
        put_aside(worktree, str(spec), kept_in=git_folder.parent.parent, ignored=ignored)
        head = commit_of(worktree, "HEAD") or ""
        with journaled(journal, worktree, before=head, after=head):
            git(worktree, "reset", "--quiet", "--hard")
        return
    # A clone keeps its refs and stashes to itself: it is moved as a whole.
    move_aside(f"{spec}: the clone with local work", worktree)


def check_out(
    spec: DependencySpec,
    worktree: Path,
    bare: Path,
    refs: Refs,
    journal: Journal,
    *,
    force: bool,
) -> str:
    """Put the wanted version into the worktree, making or replacing it where needed."""
    heads, git_folder = heads_of(bare), git_folder_of(worktree)
    there, _ = heads.get(git_folder or worktree, ("", ""))
    found = _find(spec, there, bare, refs)
    if worktree.exists() and not is_empty(worktree):
        if _is_incomplete(git_folder):
            remove_incomplete(worktree, bare, found.commit, began=0)
            heads = heads_of(bare)
        elif not belongs_to(git_folder, bare):
            old = remote_settings(worktree).get("remote.origin.url", "nowhere")
            # The same after `git remote set-url`: objects are those of the former one.
            log.warning(
                "%s is checked out again: its repository was %s and is %s now",
                spec,
                without_secrets(old) if old != spec.url else "another one",
                without_secrets(spec.url),
            )
            _discard(spec, worktree)
            heads = heads_of(bare)
    new = not (worktree / ".git").exists()
    if new:
        git_folder = _create(worktree, bare, found, refs, journal, heads=heads)
    else:
        others = {branch for other, (_, branch) in heads.items() if other != git_folder}
        at = heads.get(git_folder or worktree, ("", ""))
        if (there, at[1]) != (found.commit, found.branch):
            require_complete(bare, found, refs)
        _update(spec, worktree, bare, found, journal, at=at, others=others, force=force)
    if git_folder is not None:
        record_checkout(worktree, git_folder, found.commit, new=new)
    return found.commit


def _find(spec: DependencySpec, there: str, bare: Path, refs: Refs) -> Found:
    version = spec.version or "HEAD"
    if there == version:
        return Found(there)
    try:
        # A tag wins over a branch of that name, as it does in a first checkout by Git.
        found = find(bare, refs, version, prefer="tag")
        sure = found.branch or found.commit == there or is_packed_commit(bare, found.commit)
        if not sure and commit_of(bare, found.commit) is None:
            raise RevisionNotFound.named(version, url=spec.url)  # the tag of a file or folder
    except RevisionNotFound as error:
        raise RevisionNotFound(f"{spec}: {error}", where=error.where, hint=error.hint) from error
    return found


def _create(
    worktree: Path, bare: Path, found: Found, refs: Refs, journal: Journal, *, heads: _Heads
) -> Path | None:
    require_complete(bare, found, refs)
    _forget_lost(bare, heads)
    worktree.parent.mkdir(parents=True, exist_ok=True)
    # Git allows a branch in one worktree only; the second one just has its commit.
    taken = found.branch in {branch for _, branch in heads.values()}
    branch = "" if taken else found.branch
    if branch:
        keep_branch(bare, branch, found.commit)
    with journaled(journal, worktree, after=found.commit, clone=bare):
        return add_worktree(worktree, bare, found.commit, branch)


def _forget_lost(bare: Path, there: _Heads) -> None:
    """Let Git forget missing worktrees, and keep commits that exist only there."""
    known = admins_in(bare)
    for admin in known:
        if admin not in there and is_complete(admin):
            keep_head(bare, admin)
    if there.keys() != set(known):
        git(bare, "worktree", "prune")


def _update(
    spec: DependencySpec,
    worktree: Path,
    bare: Path,
    found: Found,
    journal: Journal,
    *,
    at: tuple[str, str],
    others: Collection[str],
    force: bool,
) -> None:
    commit, own = at
    branch = "" if found.branch in others else found.branch
    if (commit, own) == (found.commit, branch):
        return
    if branch and branch != own:
        keep_branch(bare, branch, found.commit)
    origin = f"refs/remotes/origin/{branch}"
    how = ("--track", "-B", branch, origin) if branch else ("--detach", found.commit)
    # Other worktrees on the branch were looked up already.
    command = ("checkout", "--quiet", "--ignore-other-worktrees")
    try:
        with journaled(journal, worktree, before=commit, after=found.commit):
            git(worktree, *command, "--no-overwrite-ignore", *how)
    except ProgramFailed as error:
        names = in_the_way(error.stderr)
        if not names:
            raise
        if not force:
            raise LocalWork.blocking(str(spec), worktree, names, spec.version) from error
        put_work_aside(spec, worktree, journal, ignored=names)
        with journaled(journal, worktree, before=commit, after=found.commit):
            git(worktree, *command, "--force", *how)


def _own_work_in(worktree: Path, bare: Path) -> list[str]:
    git_folder = git_folder_of(worktree)
    commit, _ = heads_of(bare).get(git_folder or worktree, ("", ""))
    if git_folder is None or not commit or not is_recorded(git_folder, commit):
        return _work_in(worktree, untracked=False)
    if clean_check.is_clean(worktree, git_folder, bare, commit, untracked=False):
        return []
    check = clean_check.CleanCheck(worktree, git_folder, commit)
    # Untracked files stay where they are, so they are in no danger.
    changes = described(status(worktree, untracked=False))
    if not changes:
        check.record()
    return changes


def _work_in(worktree: Path, *starts: str, untracked: bool) -> list[str]:
    now = status(worktree, untracked=untracked)
    return [*described(now), *(unpushed(worktree, "HEAD", *starts) if now.commit else [])]


def _discard(spec: DependencySpec, worktree: Path) -> None:
    git_folder = git_folder_of(worktree)
    ignored = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory")
    if git(worktree, *ignored):  # not counted as work, but they exist nowhere else
        move_aside(f"{spec}: the old checkout with ignored files", worktree)
    else:
        # At once: half a checkout would look like deleted files.
        aside = aside_of(worktree)
        worktree.rename(aside)
        remove(aside)
    if git_folder is not None and place_of(git_folder) == os.path.realpath(worktree):
        remove(git_folder)


def _is_incomplete(git_folder: Path | None) -> bool:
    """Whether Git was killed while it made this worktree."""
    return git_folder is not None and git_folder.is_dir() and not is_complete(git_folder)
