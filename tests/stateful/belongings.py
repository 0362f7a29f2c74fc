"""What a user has in a working directory: files, staged content and commits, by their ids."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.builders import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Belongings:
    """What the user ever made here."""

    contents: set[str] = field(default_factory=set)
    """Blobs of files that the user wrote; no two are alike."""
    commits: set[str] = field(default_factory=set)
    _number: int = 0

    def write(self, file: Path) -> None:
        """Write something that is nowhere else."""
        self._number += 1
        content = f"mine, number {self._number}\n".encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        self.contents.add(blob(content))

    def committed(self, checkout: Path) -> None:
        """Take note of a commit that was just made."""
        self.commits.add(git(checkout, "rev-parse", "HEAD"))

    def among(self, holding: Holding) -> set[str]:
        """What of it is there."""
        return (self.contents | self.commits) & holding.everything()


@dataclass(frozen=True)
class Holding:
    """All that a working directory holds at a moment."""

    files: dict[str, str]
    """By path, the blob of every file outside of Git's own folders."""
    objects: frozenset[str]
    """Every object that some ref, HEAD or index of some repository leads to."""

    @classmethod
    def of(cls, work: Path) -> Holding:
        """Look at a working directory."""
        files = {
            os.path.relpath(path, work): blob(path.read_bytes())
            for path in _files_below(work)
            if not path.is_symlink()
        }
        objects = {one for repository in _repositories(work) for one in _objects(repository)}
        return cls(files, frozenset(objects))

    def everything(self) -> set[str]:
        """Ids of all contents and commits."""
        return {*self.objects, *self.files.values()}


def blob(content: bytes) -> str:
    """The id that Git would give to a file."""
    return hashlib.sha1(b"blob %d\0%s" % (len(content), content)).hexdigest()  # noqa: S324 - Git's


def _files_below(work: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(work):
        folders[:] = [name for name in folders if name not in (".git", ".repos", ".commodore")]
        yield from (work / parent / name for name in names if name != ".git")


def _repositories(work: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(work):
        if "HEAD" in names and "objects" in folders:
            folders.clear()
            yield work / parent


def _objects(repository: Path) -> Iterator[str]:
    # The HEADs and indexes of all worktrees are among them, also of those that were deleted.
    listed = git(repository, "rev-list", "--objects", "--all", "--indexed-objects")
    return (line.split(" ", 1)[0] for line in listed.splitlines())
