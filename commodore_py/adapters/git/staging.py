"""What a commit and the index hold, read and replaced as values.

Two ways, as everywhere behind this door: by the files that Git documents, or by the git program.
"""

from __future__ import annotations

import hashlib
import os
import struct
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of

from .index import UnknownIndex, tracked_in, written_index
from .layout import is_plain
from .objects import tree_of
from .program import git, git_bytes, succeeds
from .repository import folders_of
from .written import Leaf, Object, store, trees_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from .index import Seen
    from .repository import GitFolders

_SHA1 = "sha1"


class State(NamedTuple):
    """A checkout's commit and index."""

    committed: Mapping[str, Leaf]
    staged: Mapping[str, Leaf]
    unmerged: tuple[str, ...] = ()
    """Paths that a merge left to the user."""
    seen: Mapping[str, Seen] | None = None
    """What the files were like when the index was refreshed, where that is known."""
    algorithm: str = _SHA1
    raw: bytes | None = None
    """The index itself, where it can be written without the git program."""
    written: float = 0
    """When it was written."""


class Ignored(NamedTuple):
    """A path that an ignore rule keeps out."""

    path: str
    source: str
    line: str
    pattern: str


def state_of(directory: Path, commit: str | None) -> State:
    """What a checkout's commit and its index hold."""
    known = _state_in_files(directory, commit)
    if known is not None:
        return known
    staged: dict[str, Leaf] = {}
    unmerged: dict[str, None] = {}
    for line in _names(git_bytes(directory, "ls-files", "--stage", "-z")):
        about, _, path = line.partition("\t")
        mode, id_, stage = about.split(" ")
        if stage == "0":
            staged[path] = Leaf(int(mode, 8), id_)
        else:
            unmerged[path] = None
    algorithm = git(directory, "rev-parse", "--show-object-format")
    return State(_leaves(directory, commit), staged, tuple(unmerged), algorithm=algorithm)


def replace(
    directory: Path,
    state: State,
    wanted: Mapping[str, Leaf],
    blobs: Mapping[str, bytes],
    *,
    status: Callable[[str], os.stat_result | None],
) -> str:
    """Have exactly these leaves in the index, and return the tree that they make up.

    Of files that are on disk as they are wanted, `status` knows what they are like.
    """
    there = {leaf.id for leaf in state.staged.values()}
    objects = {id_: Object("blob", content) for id_, content in blobs.items() if id_ not in there}
    folders = _plain_folders(directory) if state.raw is not None else None
    if folders is not None and state.raw is not None:
        trees = trees_of(_encoded(wanted))
        present = trees_of(_encoded(state.committed)).objects if state.committed else {}
        objects |= {id_: one for id_, one in trees.objects.items() if id_ not in present}
        store(directory, objects, git_folder=folders.shared, algorithm=_SHA1)
        index = written_index(
            state.raw,
            {
                os.fsencode(path): (leaf.mode, bytes.fromhex(leaf.id))
                for path, leaf in wanted.items()
            },
            trees.noted,
            since=state.written,
            status=lambda name: status(os.fsdecode(name)),
        )
        if wanted == state.staged or _swap_index(folders.own, state.raw, index):
            return trees.root
    else:
        store(directory, objects, git_folder=None, algorithm=state.algorithm)
    if wanted != state.staged:
        info = b"".join(_index_lines(state.staged, wanted))
        git_bytes(directory, "update-index", "-z", "--index-info", stdin=info)
        succeeds(directory, "update-index", "-q", "--refresh")
    return git(directory, "write-tree")


def ignored_among(directory: Path, paths: Iterable[str]) -> tuple[Ignored, ...]:
    """The paths that ignore rules keep out of the index, each with its rule."""
    stdin = "".join(f"{path}\0" for path in paths)
    if not stdin:
        return ()
    words = ("check-ignore", "--no-index", "-v", "-z", "--stdin")
    try:
        found = git_bytes(directory, *words, stdin=os.fsencode(stdin))
    except ProgramFailed as error:
        if error.code == 1:  # none of them
            return ()
        raise
    fields = iter(os.fsdecode(found).split("\0")[:-1])
    rules = (
        Ignored(path, *rule) for *rule, path in zip(fields, fields, fields, fields, strict=True)
    )
    return tuple(rule for rule in rules if not rule.pattern.startswith("!"))


def is_merging(directory: Path) -> bool:
    """Whether a merge was begun and neither committed nor aborted."""
    folders = folders_of(directory)
    return folders is not None and (folders.own / "MERGE_HEAD").exists()


def blob_id(content: bytes, algorithm: str = _SHA1) -> str:
    """The name of a file's content."""
    head = b"blob %d\0" % len(content)
    if algorithm == _SHA1:
        return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()
    return hashlib.new(algorithm, head + content, usedforsecurity=False).hexdigest()


def _state_in_files(directory: Path, commit: str | None) -> State | None:
    """The same by files; None if the git program is needed."""
    folders = _plain_folders(directory)
    if folders is None:
        return None
    file = f"{folders.own}/index"
    try:
        written = os.stat(file).st_mtime
        index = bytes_of(file)
    except FileNotFoundError:
        written, index = 0, b""
    except OSError:
        return None
    try:
        tracked, tree = tracked_in(index) if index else ([], "")
    except (struct.error, UnknownIndex, ValueError):
        return None
    if any(one.flagged for one in tracked):
        return None
    staged = {os.fsdecode(one.name): Leaf(one.mode, one.blob.hex()) for one in tracked}
    seen = {os.fsdecode(one.name): one.seen for one in tracked}
    same = commit is not None and bool(tree) and tree == tree_of(folders.shared, commit)
    committed = staged if same else _leaves(directory, commit)
    return State(committed, staged, seen=seen, raw=index, written=written)


def _plain_folders(directory: Path) -> GitFolders | None:
    folders = folders_of(directory)
    return folders if folders is not None and is_plain(folders.shared) else None


def _leaves(directory: Path, commit: str | None) -> dict[str, Leaf]:
    if commit is None:
        return {}
    found = {}
    for line in _names(git_bytes(directory, "ls-tree", "-r", "-z", "--full-tree", commit)):
        about, _, path = line.partition("\t")
        mode, _, id_ = about.split(" ")
        found[path] = Leaf(int(mode, 8), id_)
    return found


def _index_lines(staged: Mapping[str, Leaf], wanted: Mapping[str, Leaf]) -> Iterator[bytes]:
    for path, leaf in staged.items():
        if path not in wanted:
            yield os.fsencode(f"0 {'0' * len(leaf.id)}\t{path}\0")
    for path, leaf in wanted.items():
        if staged.get(path) != leaf:
            yield os.fsencode(f"{leaf.mode:o} {leaf.id}\t{path}\0")


def _swap_index(git_folder: Path, before: bytes, index: bytes) -> bool:
    """Replace the index as Git does, by its lock; False if that is taken, or the index changed."""
    file, lock = f"{git_folder}/index", f"{git_folder}/index.lock"
    with _created(lock, index) as created:
        if created and _content(file) == before:
            os.replace(lock, file)
            return True
    return False


@contextmanager
def _created(lock: str, content: bytes) -> Iterator[bool]:
    try:
        file = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError:
        yield False
        return
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(content)
        yield True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(lock)


def _content(file: str) -> bytes:
    try:
        return bytes_of(file)
    except FileNotFoundError:
        return b""


def _encoded(leaves: Mapping[str, Leaf]) -> dict[bytes, Leaf]:
    return {os.fsencode(path): leaf for path, leaf in leaves.items()}


def _names(output: bytes) -> list[str]:
    return [name for name in os.fsdecode(output).split("\0") if name]
