"""Push a commit as the branch of a proposed change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import remote_settings
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.templates.update import SUBJECT

if TYPE_CHECKING:
    from pathlib import Path


def push(folder: Path, commit: str, branch: str) -> bool:
    """Push a commit as a branch, and return whether it was necessary.

    A branch with the same change stays as it is: each push starts CI. Commits of others are not
    overwritten.
    """
    ref = f"refs/heads/{branch}"
    remote = _remote_commit(folder, ref)
    if remote:
        commits = git(folder, "rev-list", "--no-merges", remote, "--not", commit).split()
        subjects = [git(folder, "log", "-1", "--format=%h %s", each) for each in commits]
        foreign = [line for line in subjects if line.partition(" ")[2] != SUBJECT]
        if foreign:
            raise CommodoreError(
                f"branch {branch} has commits of others: {'; '.join(foreign)}; nothing was pushed",
                where=str(folder),
                hint="merge its pull request, delete the branch, or use another one with"
                " --pr-branch",
            )
        if commits in ([], [remote]) and _change(folder, remote) == _change(folder, commit):
            return False
    how = ("--no-verify", "--no-follow-tags", f"--force-with-lease={ref}:{remote}")
    try:
        over_network(folder, "push", *how, "origin", f"{commit}:{ref}", merge_stderr=True)
    except ProgramFailed as error:
        settings = remote_settings(folder)
        url = settings.get("pushurl") or settings.get("url", "")
        raise CommodoreError(
            f"cannot push branch {branch}: {error.stderr.strip()}",
            where=without_secrets(url),
            hint="check your write access; git config url.BASE.insteadOf chooses another URL",
        ) from error
    return True


def _remote_commit(folder: Path, ref: str) -> str:
    """Fetch the commit of a remote branch; empty if the branch does not exist."""
    try:
        listing = over_network(folder, "ls-remote", "origin", ref)
        lines = (line.partition("\t") for line in listing.splitlines())
        commit = next((commit for commit, _, name in lines if name == ref), "")
        if commit and commit_of(folder, commit) is None:
            over_network(folder, "fetch", "--quiet", "--no-tags", "origin", ref)
    except ProgramFailed as error:
        raise CommodoreError(
            f"cannot query {ref}: {error.stderr.strip()}", where=str(folder)
        ) from error
    return commit


def _change(folder: Path, commit: str) -> tuple[str, str]:
    """The changes and the message of a commit."""
    raw = git(folder, "diff-tree", "-r", "--no-commit-id", "--no-renames", "--raw", commit)
    return raw, git(folder, "show", "--no-patch", "--format=%B", commit)
