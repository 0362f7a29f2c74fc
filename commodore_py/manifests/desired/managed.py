"""Who has written which fields of a live object, by its managed fields (pure)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.objects import mappings, value_in
from commodore_py.manifests.paths import Item
from commodore_py.manifests.values import same

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from commodore_py.manifests.objects import Content
    from commodore_py.manifests.paths import FieldPath

_Value: TypeAlias = Any
_Place: TypeAlias = "str | int | None"

DRIVER = "argocd-controller"
"""Who Argo CD is to the server: what it has applied, it may change without a conflict."""

ATOMIC = ("what was applied as a whole",)
_FIELD, _KEYS, _ITEM = "f:", "k:", "v:"
_ITSELF = "."
_ABOUT = ("manager", "operation", "subresource", "time")


@dataclass(frozen=True, slots=True)
class Manager:
    """Who has written a field."""

    name: str
    operation: str
    subresource: str
    time: str
    """When it last wrote any of its fields: this one was not written later."""


def managers_of(live: Content, path: FieldPath) -> Iterator[Manager]:
    """Who has written what is at a path, or a part of it."""
    for entry in _entries(live):
        if _owns(entry.get("fieldsV1"), live, path):
            yield Manager(*(str(entry.get(key) or "") for key in _ABOUT))


def applied_by_driver(live: Content) -> dict[str, Any] | None:
    """The part of an object that Argo CD has applied on the server.

    Entries of other operations do not count: they have the defaults of the server as well.
    """
    for entry in _entries(live):
        about = tuple(str(entry.get(key) or "") for key in _ABOUT[:3])
        if about == (DRIVER, "Apply", "") and isinstance(entry.get("fieldsV1"), dict):
            head = {key: live.get(key) for key in ("apiVersion", "kind")}
            return {**head, **_part(entry["fieldsV1"], dict(live))}
    return None


def with_fields_of(
    managers: Collection[str], served: Content, live: _Value, predicted: _Value
) -> tuple[_Value, int]:
    """A prediction with the live values of the fields of some managers; how many differed.

    The object as it was served says which fields these are.
    """
    count = 0
    for entry in _entries(served):
        if entry.get("manager") in managers and isinstance(entry.get("fieldsV1"), dict):
            predicted, more = _as_live(entry["fieldsV1"], live, predicted)
            count += more
    return predicted, count


def _entries(live: Content) -> list[dict[str, _Value]]:
    return mappings(value_in(live, "metadata", "managedFields"))


def _owns(fields: _Value, value: _Value, path: FieldPath) -> bool:
    """Return whether a tree has the path; a leaf has all that is below it."""
    if not path or not fields:
        return isinstance(fields, dict)
    if not isinstance(fields, dict):
        return False
    step = path[0].index if isinstance(path[0], Item) else path[0]
    for name, below in fields.items():
        place = _place(name, value)
        if place is not None and place == step:
            return _owns(below, value[place], path[1:])
    return False


def _part(fields: Mapping[str, _Value], value: _Value) -> _Value:
    """Paths in a tree of fields.

    The keys that name an item may be defaults; those that were applied are among its fields.
    """
    if _is_leaf(fields):
        return ATOMIC if isinstance(value, dict | list) and value else value
    parts: dict[str, _Value] = {}
    items: list[_Value] = []
    for name, below in fields.items():
        place = _place(name, value)
        if place is None:
            continue
        part = _part(below, value[place])
        if isinstance(place, str):
            parts[place] = part
        else:
            items.append(part)
    return items if isinstance(value, list) else parts


def _as_live(fields: Mapping[str, _Value], live: _Value, predicted: _Value) -> tuple[_Value, int]:
    count = 0
    for name, below in fields.items():
        place, other = _place(name, live), _place(name, predicted)
        if place is None or not isinstance(below, dict):
            continue
        value = live[place]
        if other is None:
            if _is_leaf(below) or _ITSELF in below:
                if isinstance(predicted, list):
                    predicted = [*predicted, value]
                elif isinstance(predicted, dict):
                    predicted = {**predicted, place: value}
                count += 1
            continue
        if _is_leaf(below):
            part, more = value, int(not same(value, predicted[other]))
        else:
            part, more = _as_live(below, value, predicted[other])
        predicted, count = _replaced(predicted, other, part), count + more
    return predicted, count


def _is_leaf(fields: _Value) -> bool:
    return not isinstance(fields, dict) or fields.keys() <= {_ITSELF}


def _place(name: str, value: _Value) -> _Place:
    """Where a part of a tree of fields is in a value."""
    kind, text = name[:2], name[2:]
    if kind == _FIELD:
        return text if isinstance(value, dict) and text in value else None
    if kind not in (_KEYS, _ITEM) or not isinstance(value, list):
        return None
    try:
        named = json.loads(text)
    except (ValueError, RecursionError):
        return None
    for at, item in enumerate(value):
        if same(item, named) if kind == _ITEM else _has(item, named):
            return at
    return None


def _has(item: _Value, keys: _Value) -> bool:
    if not isinstance(item, dict) or not isinstance(keys, dict):
        return False
    return all(key in item and same(item[key], value) for key, value in keys.items())


def _replaced(value: _Value, place: _Place, part: _Value) -> _Value:
    if isinstance(value, dict):
        return {**value, place: part}
    return [part if at == place else item for at, item in enumerate(value)]
