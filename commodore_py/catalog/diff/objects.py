"""A change of the catalog as changes of the objects that are in it (pure)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Literal

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.documents import may_hold_objects, read, split_documents
from commodore_py.manifests.folding import folded
from commodore_py.manifests.ignore_rules import without_ignored
from commodore_py.manifests.secrets import hidden, masked, masked_fold
from commodore_py.manifests.values import canonical

from .text import is_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.documents import Read
    from commodore_py.manifests.folding import Fold
    from commodore_py.manifests.ignore_rules import Hidden
    from commodore_py.manifests.objects import KubeObject
    from commodore_py.model.catalog import Change, FileChange
    from commodore_py.model.difference import IgnoreRule

_LINK = 0o120000


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs in something that is not an object."""

    kind: Literal["added", "deleted", "renamed", "modified", "retyped"]
    path: str
    old_path: str
    added: int | None
    """Lines, or None where the file has none to count."""
    removed: int | None


@dataclass(frozen=True, slots=True)
class ObjectDiff:
    """Everything that differs, as it may be shown: nothing in it is secret."""

    objects: tuple[ObjectChange, ...]
    """Every object that changes, the worst change first."""
    alone: tuple[ObjectChange, ...]
    """The same without what is in `folds`."""
    folds: tuple[Fold, ...]
    """Changes that several objects have in common."""
    files: tuple[FileDifference, ...]
    hidden: tuple[Hidden, ...]
    quiet: int
    """Files that differ in form, order or place only."""

    def __bool__(self) -> bool:
        return bool(self.objects or self.files)


@dataclass(frozen=True, slots=True)
class _Contents:
    """The parts of a changed file that differ between both sides."""

    old: tuple[KubeObject, ...] = ()
    new: tuple[KubeObject, ...] = ()
    as_file: bool = False


def object_diff(change: Change, rules: Iterable[IgnoreRule] = ()) -> ObjectDiff:
    """Compare the objects of changed files."""
    contents = [(file, _contents(file)) for file in change.files]
    changes = object_changes(
        (kube_object for _, content in contents for kube_object in content.old),
        (kube_object for _, content in contents for kube_object in content.new),
    )
    left, hidden = without_ignored(changes, rules)
    alone, folds = folded(left)
    files = tuple(_difference(file) for file, content in contents if content.as_file)
    loud = {
        kube_object.file
        for each in changes
        for kube_object in (each.old, each.new)
        if kube_object is not None
    }
    return ObjectDiff(
        objects=tuple(map(masked, left)),
        alone=tuple(map(masked, alone)),
        folds=tuple(map(masked_fold, folds)),
        files=files,
        hidden=hidden,
        quiet=sum(
            not content.as_file and not loud & {file.path, file.old_path}
            for file, content in contents
        ),
    )


def counted_lines(change: Change) -> tuple[FileDifference, ...]:
    """Every changed file with its lines that come and go."""
    return tuple(_difference(file) for file in change.files)


def _contents(file: FileChange) -> _Contents:
    if file.kind == "retyped" or _LINK in (file.old_mode, file.new_mode):
        return _Contents(as_file=True)
    if file.old == file.new and file.old_path == file.path and file.old_mode and file.new_mode:
        return _Contents(as_file=True)  # of another mode
    names = [name for name in (file.old_path, file.path) if not may_hold_objects(name)]
    if names:
        return _Contents(as_file=True)
    old, new = _without_same(split_documents(file.old), split_documents(file.new))
    before, after = _read(old, file.old_path), _read(new, file.path)
    if before is None or after is None:
        return _Contents(as_file=True)
    return _Contents(_objects(before), _objects(after), as_file=_others(before) != _others(after))


def _without_same(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    shared = Counter(old) & Counter(new)
    return _minus(old, shared), _minus(new, shared)


def _minus(texts: Sequence[bytes], shared: Counter[bytes]) -> list[bytes]:
    left, rest = Counter(shared), []
    for text in texts:
        if left[text]:
            left[text] -= 1
        else:
            rest.append(text)
    return rest


def _read(texts: Iterable[bytes], path: str) -> list[Read] | None:
    contents = [read(text, path, hide=hidden) for text in texts]
    readable = [content for content in contents if content is not None]
    return readable if len(readable) == len(contents) else None


def _objects(contents: Iterable[Read]) -> tuple[KubeObject, ...]:
    return tuple(kube_object for content in contents for kube_object in content.objects)


def _others(contents: Iterable[Read]) -> Counter[object]:
    return Counter(canonical(other) for content in contents for other in content.others)


def _difference(file: FileChange) -> FileDifference:
    added = removed = None
    if not (is_binary(file.old) or is_binary(file.new)):
        lines = list(unified_diff(_lines(file.old), _lines(file.new), lineterm="", n=0))[2:]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
    return FileDifference(file.kind, file.path, file.old_path, added, removed)


def _lines(content: bytes) -> list[str]:
    return content.decode(errors="replace").splitlines()
