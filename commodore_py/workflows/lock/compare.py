"""Two lock files side by side."""

from __future__ import annotations

from pathlib import Path as Folder
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.program import git, git_bytes
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.lock.format.reader import read_lock
from commodore_py.errors import CommodoreError

from .names import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.dependencies.lock.document import Block, Lock


class InputDifference(NamedTuple):
    """An input that is not the same in two locks."""

    name: str
    kind: str
    """`added`, `removed` or `changed`."""
    fields: Mapping[str, tuple[Any, Any]]
    """The values that differ, before and after."""
    commits: int | None = None
    """How many commits are between; None if no clone has both."""


def lock_at(place: str) -> Lock:
    """A lock by its file, or by revision and path in the repository around the current folder."""
    file = Folder(place)
    if file.exists():
        try:
            return read_lock(bytes_of(place).decode(), place)
        except UnicodeDecodeError as error:
            raise CommodoreError("the lock file is not UTF-8", where=place) from error
        except OSError as error:
            raise CommodoreError(
                f"cannot read the lock file: {error.strerror}", where=place
            ) from error
    revision, colon, path = place.partition(":")
    if not colon or not path or revision.startswith("-"):
        raise CommodoreError(
            "there is no such lock file",
            where=place,
            hint="name a file, or a revision and a path in Git: HEAD~1:locks/c-demo-1.lock",
        )
    try:
        inside = path if path.startswith("./") else f"./{path}"
        content = git_bytes(Folder.cwd(), "show", f"{revision}:{inside}")
    except ProgramFailed as error:
        raise CommodoreError(
            f"there is no such lock file: {error.stderr.strip()}",
            where=place,
            hint="paths are relative to the current folder",
        ) from error
    return read_lock(content.decode(errors="replace"), place)


def differences(before: Lock, after: Lock, paths: WorkPaths) -> tuple[InputDifference, ...]:
    """What differs, by the names of inputs."""
    found = []
    for path in sorted({*before.blocks, *after.blocks}):
        old, new = before.blocks.get(path), after.blocks.get(path)
        if old is not None and new is not None and old.values == new.values:
            continue
        kind = "changed" if old and new else "added" if new else "removed"
        first = dict(old.values) if old else {}
        second = dict(new.values) if new else {}
        fields = {
            key: (first.get(key), second.get(key))
            for key in dict.fromkeys((*first, *second))
            if first.get(key) != second.get(key)
        }
        commits = _between(old, new, paths) if old and new else None
        found.append(InputDifference(name_of(path), kind, fields, commits))
    return tuple(found)


def _between(old: Block, new: Block, paths: WorkPaths) -> int | None:
    first, second = old.text("commit"), new.text("commit")
    if not (is_commit(first) and is_commit(second)):
        return None
    try:
        folder = paths.bare_clones / git_urls.dependency_key(new.text("url"))
        if not (folder / "HEAD").is_file():
            return None
        return int(git(folder, "rev-list", "--count", f"{first}..{second}"))
    except (CommodoreError, ValueError):
        return None
