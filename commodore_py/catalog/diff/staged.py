"""The files that a commit changes, in pairs of old and new as Git finds them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.git.staging import Leaf
from commodore_py.model.catalog import FileChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.staging import Leaves

_Kind = Literal["added", "deleted", "renamed", "modified", "retyped"]

_KINDS: dict[str, _Kind] = {
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "M": "modified",
    "T": "retyped",
}
_SUBMODULE = 0o160000
_NO_ID = "0"


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of `git diff --raw`: an old and a new side, by their object ids."""

    kind: _Kind
    path: str
    old_path: str
    old: Leaf
    new: Leaf


def staged_files(
    directory: Path,
    old: Leaves,
    new: Mapping[str, Leaf],
    contents: Mapping[str, bytes],
    imported: Callable[[], str],
) -> tuple[FileChange, ...]:
    """The change from a commit to new leaves, whose contents are given by their object ids.

    Where files come and go, Git finds renames, and needs the new leaves `imported` as a commit.
    """
    before = old.leaves
    if before.keys() <= new.keys() or new.keys() <= before.keys():
        changed = {path for path in {*before, *new} if before.get(path) != new.get(path)}
        pairs = tuple(
            _pair(path, before.get(path), new.get(path))
            for path in sorted(changed, key=os.fsencode)
        )
    else:
        options = ("-r", "--raw", "-z", "--find-renames", "--no-abbrev")
        output = git_bytes(directory, "diff-tree", *options, str(old.commit), imported())
        pairs = tuple(parse_raw(output))
    return _with_contents(directory, pairs, contents)


def _pair(path: str, old: Leaf | None, new: Leaf | None) -> Pair:
    kind: _Kind
    if old is None:
        kind = "added"
    elif new is None:
        kind = "deleted"
    else:
        kind = "modified" if stat.S_IFMT(old.mode) == stat.S_IFMT(new.mode) else "retyped"
    nothing = Leaf(0, _NO_ID)
    return Pair(kind, path, path, old or nothing, new or nothing)


def file_changes(
    directory: Path, raw: bytes, *, env: Mapping[str, str] | None = None
) -> tuple[FileChange, ...]:
    """Parse `git diff --raw -z --no-abbrev`, with the contents of both sides."""
    return _with_contents(directory, tuple(parse_raw(raw)), {}, env=env)


def _with_contents(
    directory: Path,
    pairs: tuple[Pair, ...],
    contents_by_id: Mapping[str, bytes],
    *,
    env: Mapping[str, str] | None = None,
) -> tuple[FileChange, ...]:
    ids = {leaf.id for pair in pairs for leaf in (pair.old, pair.new)}
    missing = (id_ for id_ in ids if id_.strip("0") and id_ not in contents_by_id)
    contents = {**contents_by_id, **contents_of(directory, missing, env=env)}
    return tuple(_file_change(pair, contents) for pair in pairs)


def parse_raw(output: bytes) -> Iterator[Pair]:
    """Read what `git diff --raw -z --no-abbrev` prints (pure)."""
    fields = iter(os.fsdecode(output).split("\0"))
    for head in fields:
        if not head:
            break
        old_mode, new_mode, old_id, new_id, status = head.removeprefix(":").split(" ")
        kind = _KINDS[status[0]]
        old_path = next(fields)
        path = next(fields) if kind == "renamed" else old_path
        old, new = Leaf(int(old_mode, 8), old_id), Leaf(int(new_mode, 8), new_id)
        yield Pair(kind, path, old_path, old, new)


def contents_of(
    directory: Path, ids: Iterable[str], *, env: Mapping[str, str] | None = None
) -> Mapping[str, bytes]:
    """Contents of files by their object ids, without those of other repositories."""
    request = "".join(f"{id_}\n" for id_ in sorted(ids))
    if not request:
        return {}
    output = git_bytes(
        directory, "cat-file", "--batch", "--buffer", stdin=request.encode(), env=env
    )
    contents: dict[str, bytes] = {}
    at = 0
    while at < len(output):
        start = output.index(b"\n", at) + 1
        id_, kind, *size = output[at:start].decode().split()
        if kind == "missing":  # a submodule's commit lives in another repository
            at = start
            continue
        end = start + int(size[0])
        contents[id_] = output[start:end]
        at = end + 1
    return contents


def _file_change(pair: Pair, contents: Mapping[str, bytes]) -> FileChange:
    old, new = (_content(leaf, contents) for leaf in (pair.old, pair.new))
    return FileChange(pair.kind, pair.path, pair.old_path, old, new, pair.old.mode, pair.new.mode)


def _content(leaf: Leaf, contents: Mapping[str, bytes]) -> bytes:
    is_submodule = leaf.mode == _SUBMODULE
    return f"commit {leaf.id}\n".encode() if is_submodule else contents.get(leaf.id, b"")
