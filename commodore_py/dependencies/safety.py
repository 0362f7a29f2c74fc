"""Nothing of the user's is lost: what a checkout holds that exists nowhere else."""

from __future__ import annotations

import logging
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git import commit_of, git, succeeds
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

_BACKUPS = "refs/commodore/backup"
_SHOWN = 10


class LocalWork(CommodoreError):
    """A checkout that we would have to overwrite holds work of the user's."""

    @classmethod
    def found(cls, what: str, directory: Path, details: Iterable[str]) -> LocalWork:
        """Name the checkout and everything in it that would be lost."""
        lines = list(details)
        shown = lines[:_SHOWN]
        if len(lines) > _SHOWN:
            shown.append(f"... and {len(lines) - _SHOWN} more")
        return cls(
            f"{what} holds local work: " + "; ".join(shown),
            where=str(directory),
            hint="commit and push it, or let --force put it aside"
            f" (kept as a commit under {_BACKUPS}) and go on",
        )


def is_repository(directory: Path) -> bool:
    """Whether a folder is the top of a Git checkout (not merely inside of one)."""
    return (directory / ".git").exists() and succeeds(directory, "rev-parse", "--git-dir")


def uncommitted(
    directory: Path, *, untracked: bool, except_below: tuple[str, ...] = ()
) -> list[str]:
    """Changed files of a checkout, as `XY path`; with `untracked`, also those not ignored."""
    listing = git(
        directory,
        "status",
        "--porcelain",
        "-z",
        "--no-renames",
        f"--untracked-files={'all' if untracked else 'no'}",
    )
    return [
        entry
        for entry in listing.split("\0")
        if entry and not entry[3:].startswith(except_below or ("\0",))
    ]


def unpushed(directory: Path, *, branches: bool) -> list[str]:
    """Commits that no remote branch and no tag has; of all branches, or of HEAD alone."""
    if commit_of(directory, "HEAD") is None:
        return []
    starts = ("--branches", "HEAD") if branches else ("HEAD",)
    listing = git(
        directory, "log", "--format=commit %h %s", *starts, "--not", "--remotes", "--tags"
    )
    return listing.splitlines()


def put_aside(directory: Path, what: str) -> None:
    """Keep everything of a checkout, untracked files included, as a commit under a ref."""
    with tempfile.TemporaryDirectory() as scratch:
        env = {
            "GIT_INDEX_FILE": str(Path(scratch) / "index"),
            "GIT_AUTHOR_NAME": "Commodore",
            "GIT_AUTHOR_EMAIL": "commodore@localhost",
            "GIT_COMMITTER_NAME": "Commodore",
            "GIT_COMMITTER_EMAIL": "commodore@localhost",
        }
        head = commit_of(directory, "HEAD")
        if head is not None:
            git(directory, "read-tree", head, env=env)
        git(directory, "add", "--all", env=env)
        tree = git(directory, "write-tree", env=env)
        parents = () if head is None else ("-p", head)
        message = f"Local work in {what}, put aside by commodore"
        commit = git(directory, "commit-tree", tree, *parents, "-m", message, env=env)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    ref = f"{_BACKUPS}/{moment}"
    git(directory, "update-ref", ref, commit)
    for line in git(
        directory, "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"
    ).splitlines():
        branch, _, tip = line.rpartition(" ")
        git(directory, "update-ref", f"{ref}-{branch}", tip)
    log.warning("%s: local work kept as %s in %s", what, ref, directory)
