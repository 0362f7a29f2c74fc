"""Abbreviated commits: six characters, or as many as are unambiguous."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .objects import is_unambiguous
from .program import git
from .repository import folders_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SHORT = 6


def short_commits_of(commits: Iterable[tuple[Path, str]]) -> dict[tuple[Path, str], str]:
    """Abbreviated commits of checkouts, by checkout and commit."""
    wanted = {}
    for directory, commit in commits:
        folders = folders_of(directory)
        wanted[directory, commit] = (folders.shared if folders else directory, commit)
    short = short_commits_in(wanted.values())
    return {key: short[place] for key, place in wanted.items()}


def short_commits_in(commits: Iterable[tuple[Path, str]]) -> dict[tuple[Path, str], str]:
    """The same for many commits, each with the bare repository that it is in."""
    wanted: dict[Path, set[str]] = {}
    for folder, commit in commits:
        wanted.setdefault(folder, set()).add(commit)
    result: dict[tuple[Path, str], str] = {}
    for folder, own in wanted.items():
        known = all(_is_short(folder, commit) for commit in own)
        short = {one: one[:_SHORT] for one in own} if known else short_commits(folder, own)
        result |= {(folder, commit): short[commit] for commit in own}
    return result


def _is_short(folder: Path, commit: str) -> bool:
    sha1 = len(commit) == 40  # noqa: PLR2004 - digits of a SHA-1
    return sha1 and is_unambiguous(folder, commit[:_SHORT]) is True


def short_commits(directory: Path, commits: Iterable[str]) -> dict[str, str]:
    """The same for several commits at once."""
    wanted = sorted(set(commits))
    if not wanted:
        return {}
    # In this order: without a walk, Git keeps the order of the arguments.
    how = ("--no-walk=unsorted", "--abbrev-commit", f"--abbrev={_SHORT}")
    listing = git(directory, "rev-list", *how, *wanted)
    return dict(zip(wanted, listing.split(), strict=True))
