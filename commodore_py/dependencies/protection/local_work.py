"""Local work: what a checkout holds that exists nowhere else, and backups of it."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import rename
from commodore_py.adapters.git.program import git, git_lines
from commodore_py.adapters.git.refs import HEADS, commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.status import status
from commodore_py.adapters.git.worktrees import worktrees_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import folders_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from commodore_py.adapters.git.status import Status
    from commodore_py.adapters.git.worktrees import Worktree

log = logging.getLogger(__name__)

_BACKUPS = "refs/commodore/backup"
_ELSEWHERE = ("--remotes", f"--glob={_BACKUPS}")
_SHOWN = 20
_IN_THE_WAY = ("untracked working tree files would be", "would lose untracked files in them")
_WHO = {
    "GIT_AUTHOR_NAME": "Commodore",
    "GIT_AUTHOR_EMAIL": "commodore@localhost",
    "GIT_COMMITTER_NAME": "Commodore",
    "GIT_COMMITTER_EMAIL": "commodore@localhost",
}


class LocalWork(CommodoreError):
    """A checkout that we would have to overwrite holds work of the user's: `--force` may."""

    @classmethod
    def found(cls, what: str, directory: Path, work: Sequence[str], *, why: str = "") -> LocalWork:
        """Name the checkout and everything in it that would be lost."""
        more = [f"and {len(work) - _SHOWN} more"] if work[_SHOWN:] else []
        return cls(
            f"{what} holds local work{why}: " + "; ".join([*work[:_SHOWN], *more]),
            where=str(directory),
            hint="commit and push it; or `catalog compile --force` backs it up"
            " and says where it is kept",
        )

    @classmethod
    def blocking(
        cls, what: str, directory: Path, names: Sequence[str], version: str | None
    ) -> LocalWork:
        """Name the files that a version would overwrite."""
        why = f" in the way of version {version}" if version else " in the way"
        return cls.found(what, directory, [f"untracked {name}" for name in names], why=why)


def in_the_way(stderr: str) -> list[str]:
    """The files that Git refused to overwrite in a checkout, by its error message."""
    if not any(sign in stderr for sign in _IN_THE_WAY):
        return []
    return [line[1:] for line in stderr.splitlines() if line.startswith("\t")]


def ignored_in_the_way(directory: Path, commit: str) -> list[str]:
    """Files that Git ignores, and would overwrite without a word when it checks a commit out."""
    listed = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z")
    ignored = git(directory, *listed).split("\0")[:-1]
    if not ignored:
        return []
    tracked = set(git(directory, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1])
    folders = set(map(str, folders_above(map(PurePosixPath, tracked))))
    return [
        name
        for name in ignored
        if name in tracked
        or name in folders
        or any(str(parent) in tracked for parent in PurePosixPath(name).parents)
    ]


def not_ours_to_replace(what: str, directory: Path) -> CommodoreError | None:
    """Describe what is in the place of a checkout, if it is something else."""
    if directory.is_symlink():
        return CommodoreError(
            f"{what}: the checkout is a link to {directory.resolve()}, which was not touched",
            where=str(directory),
            hint="compile with --local to use the linked folder, or remove the link",
        )
    if not directory.exists() or is_empty(directory) or is_repository(directory):
        return None
    return CommodoreError(
        f"{what}: the folder is not a Git checkout; nothing in it was touched",
        where=str(directory),
        hint="move it away; it is checked out again by the next run",
    )


def is_empty(folder: Path) -> bool:
    """Return whether a folder is there, with nothing in it."""
    return folder.is_dir() and not any(folder.iterdir())


def described(status: Status) -> list[str]:
    """The changed files of a checkout, in words."""
    return [f"{happened} {path}" for happened, path in status.changes]


def unpushed(directory: Path, *starts: str, tags: bool = True) -> list[str]:
    """Commits that are in no remote branch, backup or, unless they are left out, tag."""
    elsewhere = (*_ELSEWHERE, *(("--tags",) if tags else ()))
    # Not `git log`: the user's settings may make it say more.
    listing = git_lines(directory, "rev-list", "--oneline", *starts, "--not", *elsewhere)
    return [f"commit {line}" for line in listing]


def whole_work(directory: Path, *, recorded: Callable[[str], bool]) -> list[str]:
    """All work of a checkout that is to go, the refs of a clone of its own included.

    A worktree at a commit that a run `recorded` has no commits of the user's.
    """
    now, linked = status(directory, untracked=True), (directory / ".git").is_file()
    work = described(now)
    if now.commit and not (linked and recorded(now.commit)):
        starts = ("HEAD",) if linked else ("HEAD", "--branches")
        # Tags of a clone are lost with it.
        work += unpushed(directory, *starts, tags=linked)
    if not linked and commit_of(directory, "refs/stash"):
        work.append("a stash")
    return work


def holds_repositories(directory: Path) -> bool:
    """Return whether other repositories are below a checkout, whose files Git does not see."""
    return any(
        ".git" in (*names, *files) and Path(parent) != directory
        for parent, names, files in os.walk(directory)
    )


def put_aside(directory: Path, what: str, *, kept_in: Path, ignored: Sequence[str] = ()) -> None:
    """Back up everything of a checkout, untracked files included, under refs of its repository.

    Ignored files stay in the checkout, except for those in `ignored`.
    """
    ref = f"{_BACKUPS}/{moment()}"
    git(directory, "update-ref", ref, _snapshot(directory, what, ignored))
    for branch, tip in _branches(directory):
        _keep_tip(directory, f"{ref}-{branch}", tip)
    log.warning(
        "%s: local work was backed up; see it with: git -C %s show --stat %s", what, kept_in, ref
    )


def keep_branch(directory: Path, branch: str, commit: str) -> None:
    """Before a local branch is moved to a commit, keep what only this branch has."""
    tip = commit_of(directory, HEADS + branch)
    if tip is not None and tip != commit:
        _keep(directory, branch, tip, f"branch {branch} had commits that its remote has not")


def _keep_head(bare: Path, worktree: Worktree) -> None:
    """Before Git forgets a worktree that was deleted, keep what only its HEAD leads to."""
    head, name = worktree.commit, worktree.path.name
    if head and not worktree.branch and commit_of(bare, head) is not None:  # branches stay
        _keep(bare, name, head, f"checkout {name} was deleted with commits that its remote has not")


def forget_deleted(bare: Path, *, recorded: Callable[[Worktree], bool]) -> list[str]:
    """Make Git forget deleted worktrees, and keep their commits except for `recorded` ones.

    Returns the branches of the others.
    """
    present = []
    for worktree in worktrees_of(bare):
        if worktree.path.is_dir():
            present.append(worktree.branch)
        elif not recorded(worktree):
            _keep_head(bare, worktree)
    git(bare, "worktree", "prune")
    return present


def _keep(directory: Path, name: str, commit: str, what: str) -> None:
    ref = f"{_BACKUPS}/{moment()}-{name}"
    if _keep_tip(directory, ref, commit):
        log.warning("%s; see them with: git -C %s log %s", what, directory, ref)


def _keep_tip(directory: Path, ref: str, commit: str) -> bool:
    """Keep a commit under a ref if it exists nowhere else; returns whether it was kept."""
    if not unpushed(directory, "--max-count=1", commit):
        return False
    git(directory, "update-ref", ref, commit)
    return True


def move_aside(what: str, directory: Path) -> None:
    """Move a whole folder to the folder of backups, and log its new path."""
    backup = directory.parent / ".put-aside" / f"{directory.name}-{moment()}"
    rename(directory, backup)
    log.warning("%s was moved to %s", what, backup)


def moment() -> str:
    """The time in UTC, as a name for backups."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


def _snapshot(directory: Path, what: str, ignored: Sequence[str]) -> str:
    """A commit on top of HEAD that holds all files of a checkout that are not ignored."""
    import tempfile  # for local work only

    with tempfile.TemporaryDirectory() as scratch:
        # An index of its own leaves the user's as it is.
        env = {"GIT_INDEX_FILE": str(Path(scratch) / "index"), **_WHO}
        head = commit_of(directory, "HEAD")
        if head is not None:
            git(directory, "read-tree", head, env=env)
        git(directory, "add", "--all", env=env)
        if ignored:
            git(directory, "--literal-pathspecs", "add", "--force", "--", *ignored, env=env)
        tree = git(directory, "write-tree", env=env)
        parents = [] if head is None else ["-p", head]
        # What was staged and then changed again is in no file any more.
        staged = _staged_tree(directory)
        committed = {tree, "" if head is None else git(directory, "rev-parse", f"{head}^{{tree}}")}
        if staged and staged not in committed:
            about = f"Staged in {what}, backed up by commodore"
            parents += ["-p", git(directory, "commit-tree", staged, *parents, "-m", about, env=env)]
        message = f"Local work in {what}, backed up by commodore"
        return git(directory, "commit-tree", tree, *parents, "-m", message, env=env)


def _staged_tree(directory: Path) -> str:
    try:
        return git(directory, "write-tree")
    except ProgramFailed:
        return ""  # a merge that has conflicts: their sides are commits


def _branches(directory: Path) -> Iterable[tuple[str, str]]:
    format_ = "--format=%(objectname) %(refname:lstrip=2)"
    for line in git_lines(directory, "for-each-ref", format_, HEADS):
        tip, _, branch = line.partition(" ")
        yield branch, tip
