"""Changed files: named by the user, or changed since a commit of the checkouts they are in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.config import WorkPaths


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file as it is now, and what it was before where that is known."""

    path: Path
    kind: Literal["added", "modified", "deleted"]
    before: bytes | None = None


def named(files: Iterable[Path]) -> Iterator[ChangedFile]:
    """Files that the user names: missing ones are deleted, the others modified."""
    for file in files:
        path = Path(os.path.abspath(file))  # noqa: PTH100 - resolve would follow links
        yield ChangedFile(path, "modified" if path.is_file() else "deleted")


def since(paths: WorkPaths, revision: str) -> Iterator[ChangedFile]:
    """What differs from a commit: in the checkout around the current folder, else in all."""
    checkouts = sorted(_checkouts(paths))
    here = [one for one in checkouts if Path.cwd().resolve().is_relative_to(one.resolve())]
    knowing = [one for one in here or checkouts if _knows(one, revision)]
    if not knowing:
        places = here or [paths.root]
        raise CommodoreError(
            f"no checkout has a revision {revision}",
            where=", ".join(map(str, places)),
            hint="name a commit, a branch or a tag of a configuration or a component;"
            " or files, with --path",
        )
    for checkout in knowing:
        yield from _changed_in(checkout, revision)


def _checkouts(paths: WorkPaths) -> Iterator[Path]:
    for folder in (paths.classes, paths.dependencies):
        for child in sorted(folder.iterdir()) if folder.is_dir() else ():
            if (child / ".git").exists() and is_repository(child):
                yield child


def _knows(checkout: Path, revision: str) -> bool:
    return not revision.startswith("-") and commit_of(checkout, revision) is not None


def _changed_in(checkout: Path, revision: str) -> Iterator[ChangedFile]:
    listing = git_bytes(checkout, "diff", "--name-status", "--no-renames", "-z", revision, "--")
    fields = iter(os.fsdecode(listing).split("\0"))
    for status in fields:
        if not status:
            break
        name = next(fields)
        before = b""
        if status != "A":
            before = git_bytes(checkout, "cat-file", "blob", f"{revision}:{name}")
        yield ChangedFile(checkout / name, "deleted" if status == "D" else _kind(status), before)
    untracked = git_bytes(checkout, "ls-files", "--others", "--exclude-standard", "-z")
    for name in os.fsdecode(untracked).split("\0"):
        if name:
            yield ChangedFile(checkout / name, "added", b"")


def _kind(status: str) -> Literal["added", "modified"]:
    return "added" if status == "A" else "modified"
