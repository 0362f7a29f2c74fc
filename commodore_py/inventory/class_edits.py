"""Edits of class files: only the bytes of the edited node change, and that is verified (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from commodore_py.adapters.yaml import splice
from commodore_py.adapters.yaml.parts import parts_of, text_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.errors import CommodoreError
from commodore_py.manifests.values import same

from .engine import numbers
from .engine.reader import read
from .engine.yaml_values import MARKS
from .paths import dotted

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.adapters.yaml.parts import Part

    Path = tuple[str | int, ...]

_GONE: Final = object()
ABSENT: Final = object()
"""Stands for what a class file does not hold."""

Verb = Literal["set", "unset", "append"]


class Unverified(Exception):
    """An edit that changes something else, too: a bug, which nothing is written for."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one node; the path begins with the field of the class, such as parameters."""

    verb: Verb
    path: Path
    value: Any = None
    """What is set; for `append` a list of items."""


def edited(data: bytes, edit: Edit, *, name: str) -> bytes:
    """The bytes of a class file after an edit; raises where it cannot be made alone."""
    before = _structure(data, name)
    match edit.verb:
        case "set":
            after = splice.put(data, edit.path, edit.value, name=name)
        case "append":
            after = splice.add(data, edit.path, edit.value, name=name)
        case "unset":
            after = splice.take(data, edit.path, name=name)
    _verify(before, _structure(after, name), edit)
    return after


def value_of(text: str) -> Any:
    """A value as it stands in class files."""
    root = parts_of(text, name="the value")
    if root is None:
        return None
    for part in root.all():
        if part.kind == "alias" or part.tag:
            raise CommodoreError("a value has no aliases and no tags", where="the value")
    return _value(root, _scalar)


def _scalar(part: Part) -> Any:
    return part.text if part.style else numbers.scalar(part.text)


def own_items(data: bytes, path: Path, *, name: str) -> list[Any]:
    """The items of the list that a class file holds at a path."""
    value = own_value(data, path, name=name)
    return value if isinstance(value, list) else []


def own_value(data: bytes, path: Path, *, name: str) -> Any:
    """The value that a class file holds at a path, or `ABSENT`."""
    value, missing = _reached(_structure(data, name), path)
    return ABSENT if missing else value


def _structure(data: bytes, name: str) -> Any:
    """The values of a file: keys as written, scalars with their types, aliases as names."""
    root = parts_of(text_of(data, name=name), name=name)
    read(data, name=name)
    if root is None:
        return {}
    anchors = [part.anchor for part in root.all() if part.anchor]
    if len(set(anchors)) < len(anchors):
        raise CommodoreError("an anchor is defined twice: it cannot be edited", where=name)
    return _value(root, lambda key: key.text)


def _value(part: Part, key_of: Callable[[Part], Any]) -> Any:
    match part.kind:
        case "mapping":
            return {key_of(item.first): _value(item, key_of) for item in part.items}
        case "list":
            return [_value(item, key_of) for item in part.items]
        case "alias":
            return _Alias(part.text)
    return _scalar(part)


@dataclass(frozen=True, slots=True)
class _Alias:
    name: str


def _reached(value: Any, path: Path) -> tuple[Any, Path]:
    """The value at a path, or the last one on the way and what is missing."""
    for depth, part in enumerate(path):
        key = _key(value, part)
        if key is None:
            return value, path[depth:]
        value = value[key]
    return value, ()


def _key(value: Any, part: str | int) -> Any:
    """The key of a part of a path as it is written, or None."""
    if isinstance(part, int):
        return part if isinstance(value, list) and part < len(value) else None
    if not isinstance(value, dict):
        return None
    return next((key for key in value if key.lstrip(MARKS) == part.lstrip(MARKS)), None)


def _verify(before: Any, after: Any, edit: Edit) -> None:
    """Compare with what the edit is to do to the values."""
    match edit.verb:
        case "set":
            expected = _with(before, edit.path, _plain(edit.value))
        case "append":
            old, missing = _reached(before, edit.path)
            items = [] if missing or old is None else old
            expected = _with(before, edit.path, [*items, *_plain(edit.value)])
        case "unset":
            expected = _without(before, edit.path)
    if not same(after, expected):
        raise Unverified(f"{edit.verb} of {dotted(edit.path)} would change something else")


def _with(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    part, *rest = path
    if isinstance(part, int):
        return [
            _with(item, tuple(rest), new) if index == part else item
            for index, item in enumerate(value)
        ]
    pairs: dict[str, Any] = dict(value or {})
    key = _key(pairs, part)
    written = part if key is None else key
    if key is None:
        return {**pairs, written: _with(None, tuple(rest), new)}
    return {
        written if name == key else name: _with(item, tuple(rest), new) if name == key else item
        for name, item in pairs.items()
    }


def _without(value: Any, path: Path, *, depth: int = 0) -> Any:
    """A value without a node, and without what would be left empty above it."""
    part, *rest = path
    key = _key(value, part)
    below = _without(value[key], tuple(rest), depth=depth + 1) if rest else _GONE
    if below is _GONE and rest and (depth == 0 or isinstance(part, int) or key[:1] == "~"):
        below = type(value[key])()
    if isinstance(value, list):
        kept: Any = [below if index == key else item for index, item in enumerate(value)]
        kept = [item for item in kept if item is not _GONE]
    else:
        kept = {name: below if name == key else item for name, item in value.items()}
        kept = {name: item for name, item in kept.items() if item is not _GONE}
    return kept if kept or not depth else _GONE


def _plain(value: Any) -> Any:
    """A value as it is read back: keys are compared as text."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else inline(key): _plain(item)
            for key, item in value.items()
        }
    return [_plain(item) for item in value] if isinstance(value, list) else value
