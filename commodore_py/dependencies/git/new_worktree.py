"""New worktrees: Git's notes about them are few and plain, and written by us they spare programs.

What `git worktree add` does with four programs takes one then: the checkout itself. It does the
same in the same order, so that one that was not completed looks the same, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.adapters.git.files import text_of
from commodore_py.adapters.git.program import git
from commodore_py.dependencies.protection.safety import is_empty

if TYPE_CHECKING:
    from pathlib import Path

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
# Of these, Git's own program knows more than we do.
_SPECIAL = ("extensions", "worktree", "sparse", "hookspath", "include")
_NO_COMMIT = "0" * 40
_MOST = 100


def add_worktree(worktree: Path, bare: Path, commit: str, branch: str = "") -> None:
    """Check a commit out to a new place, on a branch that follows the remote's if there is one."""
    origin = f"refs/remotes/origin/{branch}"
    how = ("--track", "-B", branch, origin) if branch else ("--detach", commit)
    admin = _begin(worktree, bare) if len(commit) == len(_NO_COMMIT) else None
    if admin is None:
        places = (*how[:-1], str(worktree), how[-1])
        git(bare, "worktree", "add", "--quiet", "--force", *places)
        return
    # Who else is on the branch was looked up already; the place was empty, and should still be.
    git(worktree, "checkout", "--quiet", "--ignore-other-worktrees", "--no-overwrite-ignore", *how)
    (admin / "locked").unlink()


def _begin(worktree: Path, bare: Path) -> Path | None:
    """Write what Git notes of a worktree that it is about to fill; None if it must do so itself."""
    name = worktree.name
    if not _PLAIN_NAME.fullmatch(name) or name.endswith(".lock") or not _is_plain(bare):
        return None
    if worktree.is_symlink() or (worktree.exists() and not is_empty(worktree)):
        return None
    admin = _new_folder(bare.resolve() / "worktrees", name)
    if admin is None:
        return None
    (admin / "locked").write_text("initializing")  # first: it is not complete before this goes
    worktree.mkdir(exist_ok=True)
    link = worktree.resolve() / ".git"
    (admin / "gitdir").write_text(f"{link}\n", errors="surrogateescape")
    link.write_text(f"gitdir: {admin}\n", errors="surrogateescape")
    (admin / "HEAD").write_text(f"{_NO_COMMIT}\n")
    (admin / "commondir").write_text("../..\n")
    return admin


def _is_plain(bare: Path) -> bool:
    try:
        settings = text_of(f"{bare}/config").lower()
    except (OSError, ValueError):
        return False
    return not any(word in settings for word in _SPECIAL)


def _new_folder(parent: Path, name: str) -> Path | None:
    """A folder of that name, with a number if that is taken."""
    parent.mkdir(exist_ok=True)
    for number in range(_MOST):
        folder = parent / f"{name}{number or ''}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    return None
