"""Push a commit as the branch of a proposed change."""

from __future__ import annotations

import re
from dataclasses import dataclass
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

_REMOTE = re.compile(r"^remote: ?(.*?)\s*$", re.MULTILINE)
_URL = re.compile(r"https?://\S+")


@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push."""

    updated: bool
    """Whether anything was pushed; an equal branch is not pushed again."""
    output: str = ""
    """Messages of the server."""

    @property
    def url(self) -> str:
        """The URL to open a review, if the server printed one."""
        found = _URL.search(self.output)
        return found[0] if found else ""


def push(folder: Path, commit: str, branch: str) -> Pushed:
    """Push a commit as a branch, unless the branch holds the same change already."""
    there = _remote_branch(folder, branch)
    if there:
        own = git(folder, "rev-list", "--no-merges", there, "--not", commit).split()
        _refuse_foreign(folder, branch, own)
        if there == commit or (
            own == [there] and _change(folder, there) == _change(folder, commit)
        ):
            return Pushed(updated=False)
    ref = f"refs/heads/{branch}"
    how = ("--no-verify", "--no-follow-tags", f"--force-with-lease={ref}:{there}")
    try:
        output = over_network(folder, "push", *how, "origin", f"{commit}:{ref}", merge_stderr=True)
    except ProgramFailed as error:
        settings = remote_settings(folder)
        url = settings.get("pushurl") or settings.get("url", "")
        raise CommodoreError(
            f"cannot push branch {branch}: {error.stderr.strip()}",
            where=without_secrets(url),
            hint="check your write access; git config url.BASE.insteadOf chooses another URL",
        ) from error
    return Pushed(updated=True, output="\n".join(line for line in _REMOTE.findall(output) if line))


def _remote_branch(folder: Path, branch: str) -> str:
    """Fetch the commit of a remote branch; empty if the branch does not exist."""
    ref = f"refs/heads/{branch}"
    try:
        listing = over_network(folder, "ls-remote", "origin", ref)
        lines = (line.partition("\t") for line in listing.splitlines())
        commit = next((commit for commit, _, name in lines if name == ref), "")
        if commit and commit_of(folder, commit) is None:
            into = f"+{ref}:refs/remotes/origin/{branch}"
            over_network(folder, "fetch", "--quiet", "--no-tags", "origin", into)
    except ProgramFailed as error:
        raise CommodoreError(
            f"cannot query branch {branch}: {error.stderr.strip()}", where=str(folder)
        ) from error
    return commit


def _refuse_foreign(folder: Path, branch: str, own: list[str]) -> None:
    """Refuse to overwrite commits of others."""
    if not own:
        return
    listing = git(folder, "log", "--no-walk=unsorted", "--format=%h %s", *own)
    foreign = [line for line in listing.splitlines() if line.partition(" ")[2] != SUBJECT]
    if foreign:
        raise CommodoreError(
            f"branch {branch} has commits of others: {'; '.join(foreign)}; nothing was pushed",
            where=str(folder),
            hint="merge its pull request, delete the branch, or use another one with --pr-branch",
        )


def _change(folder: Path, commit: str) -> tuple[str, str]:
    """The changes and the message of a commit."""
    raw = git(folder, "diff-tree", "-r", "--no-commit-id", "--no-renames", "--raw", commit)
    return raw, git(folder, "show", "--no-patch", "--format=%B", commit)
