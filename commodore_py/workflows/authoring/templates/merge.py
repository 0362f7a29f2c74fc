"""Three-way merge of the template's changes into an author's files, file by file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.git.program import git
from commodore_py.adapters.process import ProgramFailed
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_CONFLICTS = 127
_BINARY_SAMPLE = 8000


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that the author and the template changed in the same place."""

    path: PurePosixPath
    why: str


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge."""

    changed: Mapping[PurePosixPath, Entry | None]
    """New contents; None deletes a file."""
    conflicts: tuple[Conflict, ...] = ()
    kept: tuple[PurePosixPath, ...] = ()
    """Files that the template removed, but that the author changed."""


def merge(before: Tree, after: Tree, own: Tree) -> Merged:
    """Merge the changes between two renderings of the template into the author's files."""
    changed: dict[PurePosixPath, Entry | None] = {}
    conflicts: list[Conflict] = []
    kept: list[PurePosixPath] = []
    for path in sorted({*before, *after}):
        match _one(path, before.get(path), after.get(path), own.get(path)):
            case Conflict() as conflict:
                conflicts.append(conflict)
            case "keep":
                kept.append(path)
            case "delete":
                changed[path] = None
            case Entry() as entry:
                changed[path] = entry
    return Merged(changed, tuple(conflicts), tuple(kept))


def _one(
    path: PurePosixPath, before: Entry | None, after: Entry | None, own: Entry | None
) -> Conflict | Entry | Literal["keep", "delete"] | None:
    if after in (before, own) or (before is not None and own is None):
        return None  # unchanged, already merged, or deleted by the author
    if after is None:
        return "delete" if own == before else "keep"
    if own == before:
        return after
    if own is None:
        return after
    if before is None and not after.content:
        return None  # a placeholder: keep the author's file
    return _merged(path, before, after, own)


def _merged(
    path: PurePosixPath, before: Entry | None, after: Entry, own: Entry
) -> Conflict | Entry | None:
    base = before.content if before is not None else b""
    executable = own.executable
    if before is None or before.executable != after.executable:
        executable = after.executable
    if base == after.content:
        return Entry(own.content, executable=executable)
    if any(b"\0" in one[:_BINARY_SAMPLE] for one in (base, after.content, own.content)):
        return Conflict(path, "is a binary file that changed on both sides")
    content = _merge_lines(base, after.content, own.content)
    if content is None:
        why = "already exists with other content" if before is None else "changed on both sides"
        return Conflict(path, why)
    entry = Entry(content, executable=executable)
    return entry if entry != own else None


def _merge_lines(base: bytes, after: bytes, own: bytes) -> bytes | None:
    """The lines of both sides; None if they are in conflict."""
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / name for name in ("own", "before", "after")]
        for file, content in zip(files, (own, base, after), strict=True):
            file.write_bytes(content)
        try:
            git(Path(scratch), "merge-file", "--quiet", *(file.name for file in files))
        except ProgramFailed as error:
            if not 0 < error.code <= _MOST_CONFLICTS:
                raise
            return None
        return files[0].read_bytes()


def without(tree: Tree, unwanted: Iterator[PurePosixPath]) -> Tree:
    """The same files but for some."""
    names = {*unwanted}
    return Tree({path: entry for path, entry in tree.items() if path not in names})
