"""The files of a commit, and commits made of bytes in memory by `git fast-import`.

Commits hold no bytes of files on disk: neither attributes, filters nor repositories among them
matter.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of

from .program import git, git_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

SHA1, SHA256 = "sha1", "sha256"

_SCRATCH = "refs/commodore/staged"
_NOBODY = "committer Commodore <commodore@localhost> 0 +0000"
_FIRST = b"Initial commit"
# More objects stay in their pack: a file for each takes four times as long.
_FEW_LOOSE = ("-c", "fastimport.unpackLimit=20")


@dataclass(frozen=True, slots=True)
class Leaf:
    """The entry of a commit at a path: a file, a link, or a submodule."""

    mode: int
    id: str


@dataclass(frozen=True, slots=True)
class Leaves:
    """All entries of a commit by their paths; none before the first commit."""

    commit: str | None
    leaves: Mapping[str, Leaf]
    algorithm: str
    """The hash function of the repository's object ids."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The difference of a new commit to its parent."""

    parent: str | None
    removed: tuple[str, ...]
    written: Mapping[str, Leaf]
    contents: Mapping[str, bytes]
    """The contents of files by their ids."""
    algorithm: str = SHA1


@dataclass(frozen=True, slots=True)
class Ignored:
    """A path that an ignore rule excludes."""

    path: str
    source: str
    line: str
    pattern: str


def leaves_of(directory: Path, commit: str | None) -> Leaves:
    """Everything in a commit, which is named by its full id."""
    if commit is None:
        return Leaves(None, {}, git(directory, "rev-parse", "--show-object-format"))
    listing = git_bytes(directory, "ls-tree", "-r", "-z", "--full-tree", commit)
    leaves = {}
    for line in os.fsdecode(listing).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, _, id_ = about.split(" ")
        leaves[path] = Leaf(int(mode, 8), id_)
    return Leaves(commit, leaves, SHA1 if len(commit) == len(blob_id(b"", SHA1)) else SHA256)


def blob_id(content: bytes, algorithm: str) -> str:
    """The object id of a file's content."""
    blob = b"blob %d\0%s" % (len(content), content)
    return hashlib.new(algorithm, blob, usedforsecurity=False).hexdigest()


def contents_on_disk(
    directory: Path, leaves: Mapping[str, Leaf], algorithm: str
) -> dict[str, bytes]:
    """The contents of files that are in the checkout as they were committed, by their ids."""
    contents = {}
    for path, leaf in leaves.items():
        with suppress(OSError):
            content = bytes_of(f"{directory}/{path}", follow=False)
            if blob_id(content, algorithm) == leaf.id:
                contents[leaf.id] = content
    return contents


def ignored_among(directory: Path, paths: Iterable[str]) -> tuple[Ignored, ...]:
    """The paths that ignore rules exclude from the index, each with its rule."""
    stdin = "".join(f"{path}\0" for path in paths)
    if not stdin:
        return ()
    words = ("check-ignore", "--no-index", "-v", "-z", "--stdin")
    try:
        listing = git_bytes(directory, *words, stdin=os.fsencode(stdin))
    except ProgramFailed as error:
        if error.code == 1:  # none of them
            return ()
        raise
    fields = iter(os.fsdecode(listing).split("\0")[:-1])
    rules = (
        Ignored(path, *rule) for *rule, path in zip(fields, fields, fields, fields, strict=True)
    )
    return tuple(rule for rule in rules if not rule.pattern.startswith("!"))


def import_unreferenced(directory: Path, edit: Edit) -> str:
    """Make a commit that no ref leads to, only to compare it or to fill the index."""
    # Git makes commits on refs alone: this one is deleted before fast-import writes any.
    nothing = "0" * len(blob_id(b"", edit.algorithm))
    stream = (
        *_commit(_SCRATCH, ":1", edit, b"", _NOBODY),
        f"reset {_SCRATCH}\nfrom {nothing}\n\n".encode(),
    )
    return _import(directory, stream, ":1")


def import_commit(directory: Path, ref: str, edit: Edit, message: str, signatures: str) -> str:
    """Make a commit on a branch, which must not have moved away from the commit's parent.

    `signatures` are the lines for its author and committer. The history of a branch without
    commits begins with an empty one.
    """
    stream: list[bytes] = []
    if edit.parent is None:
        nothing = Edit(None, (), {}, {})
        stream += _commit(ref, ":1", nothing, _FIRST, signatures)
        edit = replace(edit, parent=":1")
    stream += _commit(ref, ":2", edit, message.encode(), signatures)
    return _import(directory, stream, ":2")


def is_moved(error: ProgramFailed) -> bool:
    """Return whether `import_commit` failed because the branch has other commits now."""
    return "Not updating refs/" in error.stderr or "cannot lock ref" in error.stderr


def _import(directory: Path, stream: Iterable[bytes], mark: str) -> str:
    """Run the commands, and return the id of the commit that a mark names."""
    stdin = b"".join((*stream, f"get-mark {mark}\ndone\n".encode()))
    # With `--done`, a stream that breaks off is an error.
    return git(directory, *_FEW_LOOSE, "fast-import", "--quiet", "--done", stdin=stdin)


def _commit(ref: str, mark: str, edit: Edit, message: bytes, signatures: str) -> Iterator[bytes]:
    """The commands for one commit, see git-fast-import(1)."""
    yield os.fsencode(f"commit {ref}\nmark {mark}\n{signatures}\n") + _data(message)
    if edit.parent is not None:
        yield f"from {edit.parent}\n".encode()
    # A file may take the place of a directory, and the other way round.
    for path in edit.removed:
        yield b"D %s\n" % _quoted(path)
    for path, leaf in edit.written.items():
        yield b"M %o inline %s\n" % (leaf.mode, _quoted(path))
        yield _data(edit.contents[leaf.id])
    yield b"\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return os.fsencode(f'"{escaped}"')
