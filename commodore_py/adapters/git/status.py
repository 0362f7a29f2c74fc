"""Which files of a checkout differ from its commit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .program import git_bytes

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Status:
    """The commit and branch of a checkout, and its changes."""

    commit: str | None
    """None before the first commit."""
    branch: str | None
    """None where HEAD is detached."""
    changes: tuple[tuple[str, str], ...]
    """Pairs of the kind of change (`modified`, `untracked`, ...) and the path."""
    ahead: int | None = None
    """Commits that the branch's upstream does not have; None without an upstream."""


def status(directory: Path, *, untracked: bool) -> Status:
    """The commit, the branch and the changes of a checkout; ignored files are left out."""
    kinds = "all" if untracked else "no"
    listing = git_bytes(
        directory,
        "status",
        *("--porcelain=v2", "--branch", "-z", "--no-renames", f"--untracked-files={kinds}"),
        env={"GIT_OPTIONAL_LOCKS": "0"},  # asking writes nothing
    )
    return parse_status(os.fsdecode(listing))


def parse_status(listing: str) -> Status:
    """Parse the output of `git status --porcelain=v2 --branch -z --no-renames` (pure)."""
    headers: dict[str, str] = {}
    changes: list[tuple[str, str]] = []
    for entry in listing.split("\0"):
        match entry.split(" "):
            case ["#", header, *value]:
                headers[header] = " ".join(value)
            case ["?", *path]:
                changes.append(("untracked", " ".join(path)))
            case ["1", states, _, _, _, _, _, _, *path]:
                changes.append((_kind(states), " ".join(path)))
            case ["u", _, _, _, _, _, _, _, _, _, *path]:
                changes.append(("unmerged", " ".join(path)))
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    ahead = headers.get("branch.ab", "").partition(" ")[0].removeprefix("+")
    return Status(
        None if commit == "(initial)" else commit,
        None if branch == "(detached)" else branch,
        tuple(changes),
        int(ahead) if ahead else None,
    )


def _kind(states: str) -> str:
    if "D" in states:
        return "deleted"
    return "added" if "A" in states else "modified"
