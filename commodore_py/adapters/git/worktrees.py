"""The worktrees of a bare clone: which there are, new ones, and those that Git did not complete.

No git command prints the folder in the clone of incomplete or lost worktrees, and some
commands remove it. For these alone, the names and contents of files count in both ways.
"""

from __future__ import annotations

import os
import re
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of

from .layout import is_plain
from .locked_files import NO_COMMIT
from .program import git, succeeds
from .refs import HEADS, refs_in_files
from .repository import git_folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .refs import RefValues

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
# Of these settings, Git's own program knows more.
_SPECIAL = ("worktree", "sparse", "hookspath")
_MOST = 100
_LABEL = "gitdir: "


class Head(NamedTuple):
    """What a worktree is at, by Git's files."""

    admin: str
    """The folder that Git keeps of it in the clone."""
    link: str
    """The file in the worktree that leads there."""
    commit: str
    branch: str


def heads_of(bare: Path) -> dict[Path, tuple[str, str]]:
    """The commit and the branch (or nothing) of each worktree, by its folder in the clone."""
    if is_plain(bare) and not isdir(f"{bare}/worktrees"):
        return {}
    refs = refs_in_files(bare, HEADS)
    if refs is None:
        return _heads_listed(bare)
    return {Path(one.admin): (one.commit, one.branch) for one in heads_in_files(bare, refs)}


def heads_in_files(bare: Path, refs: RefValues) -> Iterator[Head]:
    """The heads of all worktrees of a clone that has these branches."""
    try:
        names = sorted(os.listdir(f"{bare}/worktrees"))
    except (FileNotFoundError, NotADirectoryError):
        return
    folder = os.path.realpath(f"{bare}/worktrees") if names else ""
    for name in names:
        admin = f"{folder}/{name}"
        try:
            link = os.path.join(admin, _line(f"{admin}/gitdir"))
            leads_to = _line(link).removeprefix(_LABEL).strip()
            head = _line(f"{admin}/HEAD")
        except OSError:
            continue  # Git lists removed worktrees, too
        if leads_to != admin and git_folder_of(Path(link).parent) != Path(admin):
            continue
        branch = head.removeprefix(f"ref: {HEADS}")
        if branch != head:
            yield Head(admin, link, refs.objects.get(HEADS + branch, ""), branch)
        else:
            yield Head(admin, link, head, "")


def _line(file: str) -> str:
    return os.fsdecode(bytes_of(file)).strip()


def _heads_listed(bare: Path) -> dict[Path, tuple[str, str]]:
    heads: dict[Path, tuple[str, str]] = {}
    for block in git(bare, "worktree", "list", "--porcelain").split("\n\n"):
        lines = dict(line.partition(" ")[::2] for line in block.splitlines())
        admin = git_folder_of(Path(lines.get("worktree", "")))
        if admin is not None and admin.parent.parent == bare.resolve():
            commit, branch = lines.get("HEAD", ""), lines.get("branch", "").removeprefix(HEADS)
            heads[admin] = ("" if branch and commit == NO_COMMIT else commit, branch)
    return heads


def add_worktree(worktree: Path, bare: Path, commit: str, branch: str = "") -> Path | None:
    """Check a commit out to a new place, on a branch that follows the remote's if there is one.

    Returns the folder in the clone.
    """
    origin = f"refs/remotes/origin/{branch}"
    how, revision = (("--track", "-B", branch), origin) if branch else (("--detach",), commit)
    git(bare, "worktree", "add", "--quiet", "--force", *how, str(worktree), revision)
    return git_folder_of(worktree)


def is_complete(admin: Path) -> bool:
    """Whether Git finished making a worktree, by its own notes about it."""
    if not all((admin / name).is_file() for name in ("HEAD", "commondir", "gitdir")):
        return False
    lock = admin / "locked"  # there while it is being made, or if the user wants so
    return not lock.is_file() or lock.read_text().strip() != "initializing"


def admins_in(bare: Path) -> list[Path]:
    """The folders that a clone has of its worktrees, whatever became of these."""
    folder = f"{os.path.realpath(bare)}/worktrees"
    return [Path(folder, name) for name in sorted(os.listdir(folder))] if isdir(folder) else []


def place_of(admin: Path) -> str | None:
    """The path of the worktree, if Git has recorded it."""
    try:
        text = (admin / "gitdir").read_text(errors="surrogateescape").strip()
    except OSError:
        return None
    return os.path.realpath((admin / text).parent) if text else None


def commit_at(admin: Path) -> str:
    """The commit of a worktree that may be lost; empty if it is at a branch, or has none."""
    if not is_plain(admin.parent.parent):
        where = f"--git-dir={admin}"
        try:
            git(admin, where, "symbolic-ref", "--quiet", "HEAD")
        except ProgramFailed:
            try:
                return git(admin, where, "rev-parse", "--quiet", "--verify", "HEAD")
            except ProgramFailed:
                return ""
        return ""
    head = (admin / "HEAD").read_text(errors="surrogateescape").strip()
    return "" if head.startswith("ref:") else head


def reconnect(worktree: Path, bare: Path) -> None:
    """Connect a worktree with its clone again, after both were moved or copied together.

    A copied worktree still leads to the original's clone. `git worktree repair` takes it for one
    of that clone, and every change of it would be made in both.
    """
    admin = git_folder_of(worktree)
    if admin is None or not bare.is_dir():
        return
    if not admin.is_dir():
        succeeds(bare, "worktree", "repair", str(worktree))
        return
    own = bare.resolve() / "worktrees" / admin.name
    if own == admin:
        return
    place = place_of(admin)
    if place not in {None, os.path.realpath(worktree)} and place_of(own) == place:
        link = worktree.absolute() / ".git"
        (own / "gitdir").write_bytes(os.fsencode(f"{link}\n"))
        link.write_bytes(os.fsencode(f"{_LABEL}{own}\n"))


def relocate(copy: Path, links: Iterable[Path], root: Path) -> None:
    """In a copy of a folder, have clones and their worktrees know each other, by absolute paths.

    `git worktree repair` would change the originals, too.
    """
    for file in links:
        if file.is_file():
            text = os.fsdecode(file.read_bytes()).rstrip("\n")
            label = _LABEL if text.startswith(_LABEL) else ""
            path = Path(text.removeprefix(label))
            if path.is_relative_to(root):
                file.write_bytes(os.fsencode(f"{label}{copy / path.relative_to(root)}\n"))
