"""Worktrees of a bare repository."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.process import ProgramFailed

from .program import git
from .refs import BRANCHES, HEADS

_INITIALIZING = "locked initializing"
_LINK = "gitdir: "
_CLONES = ".repos"


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree as its repository lists it; its directory may be missing."""

    path: Path
    commit: str
    branch: str
    """Empty where HEAD is detached."""
    incomplete: bool
    """Whether Git was killed while it added the worktree."""


def worktrees_of(bare: Path) -> tuple[Worktree, ...]:
    """The worktrees of a bare repository, without the repository itself."""
    listing = os.fsdecode(git(bare, "worktree", "list", "--porcelain", "-z"))
    worktrees = []
    for block in listing.split("\0\0"):
        lines = block.strip("\0").split("\0")
        about = dict(line.partition(" ")[::2] for line in lines)
        if "bare" in about or "worktree" not in about:
            continue
        commit, branch = about.get("HEAD", ""), about.get("branch", "").removeprefix(HEADS)
        checked_out = commit if commit.strip("0") else ""
        worktrees.append(
            Worktree(Path(about["worktree"]), checked_out, branch, _INITIALIZING in lines)
        )
    return tuple(worktrees)


def add_worktree(worktree: Path, bare: Path, commit: str, branch: str = "") -> None:
    """Check out a commit to a new directory, on a branch that follows the remote's if given.

    Replaces what the repository knows of an earlier worktree there that was deleted.
    """
    how = ("--track", "-B", branch) if branch else ("--detach",)
    revision = BRANCHES + branch if branch else commit
    add = ("worktree", "add", "--quiet", "--force", "--force")
    git(bare, *add, *how, str(worktree), revision)


def switch_worktree(worktree: Path, commit: str, branch: str = "", *, force: bool = False) -> None:
    """Check out another commit; files that Git does not track are kept, unless forced."""
    how = ("--track", "-B", branch, BRANCHES + branch) if branch else ("--detach", commit)
    # Worktrees on that branch were looked up already.
    keeping = "--force" if force else "--no-overwrite-ignore"
    git(worktree, "checkout", "--quiet", "--ignore-other-worktrees", keeping, *how)


def commit_at(checkout: Path) -> tuple[str, str]:
    """The commit that is checked out, and its abbreviation: at least six characters."""
    how = ("--no-walk", "--no-commit-header", "--abbrev=6", "--format=%H %h")
    commit, _, short = git(checkout, "rev-list", *how, "HEAD").partition(" ")
    return commit, short


def reconnect(worktree: Path, bare: Path) -> None:
    """Connect a worktree with its repository again if both were moved or copied together.

    The link of a copied worktree leads to the original's repository; `git worktree repair` would
    take the copy for a worktree of that, and redirect the originals of others to the copy.
    """
    link = worktree / ".git"
    with suppress(OSError, ProgramFailed):
        admin = Path(os.fsdecode(link.read_bytes()).removeprefix(_LINK).strip())
        path = bare.resolve() / "worktrees" / admin.name
        if not admin.is_dir():
            git(bare, "worktree", "repair", os.path.realpath(worktree))
        elif path.is_dir() and path != admin and _below_clones(path) == _below_clones(admin):
            write_if_changed(path / "gitdir", os.fsencode(f"{link.absolute()}\n"))
            write_if_changed(link, os.fsencode(f"{_LINK}{path}\n"))


def clone_beside(worktree: Path) -> Path | None:
    """The clone that was moved together with a worktree of a working directory, if it was."""
    with suppress(OSError):
        admin = Path(os.fsdecode((worktree / ".git").read_bytes()).removeprefix(_LINK).strip())
        inside = _below_clones(admin).parent.parent
        clone = worktree.parent / _CLONES / inside
        if inside.name and ".." not in inside.parts and clone.is_dir() and not admin.is_dir():
            return clone
    return None


def _below_clones(path: Path) -> Path:
    """A path below the clones of a working directory, wherever that is."""
    return Path(str(path).partition(f"/{_CLONES}/")[2])


def reconnect_moved(bare: Path, directory: Path) -> None:
    """Reconnect the worktrees that the repository misses, and that are in a directory now."""
    for worktree in worktrees_of(bare):
        if not worktree.path.is_dir() and (directory / worktree.path.name / ".git").is_file():
            reconnect(directory / worktree.path.name, bare)
