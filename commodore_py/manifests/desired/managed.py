"""Who has written which fields of a live object, by its managed fields (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.manifests.paths import Item
from commodore_py.manifests.values import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.manifests.objects import Content
    from commodore_py.manifests.paths import FieldPath

_Value: TypeAlias = Any

_FIELD, _KEYS, _ITEM = "f:", "k:", "v:"
_ITSELF = "."
_ABOUT = ("manager", "operation", "subresource", "time")


class Manager(NamedTuple):
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
            words = (str(entry.get(key) or "") for key in _ABOUT)
            yield Manager(*words)


def fields_of(live: Content, managers: Sequence[object]) -> Iterator[Mapping[str, _Value]]:
    """The trees of fields that these managers have written."""
    for entry in _entries(live):
        fields = entry.get("fieldsV1")
        if entry.get("manager") in managers and isinstance(fields, dict):
            yield fields


def applied_by(live: Content, manager: str) -> Mapping[str, _Value] | None:
    """The tree of fields that a manager has applied on the server."""
    for entry in _entries(live):
        about = tuple(str(entry.get(key) or "") for key in _ABOUT[:3])
        if about == (manager, "Apply", "") and isinstance(entry.get("fieldsV1"), dict):
            fields: Mapping[str, _Value] = entry["fieldsV1"]
            return fields
    return None


def _entries(live: Content) -> Iterator[Mapping[str, _Value]]:
    metadata = live.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield entry


def _owns(fields: _Value, value: _Value, path: FieldPath) -> bool:
    """Whether a tree has the path; a leaf has all that is below it."""
    if not path or not fields:
        return isinstance(fields, dict)
    if not isinstance(fields, dict):
        return False
    step = path[0].index if isinstance(path[0], Item) else path[0]
    for name, below in fields.items():
        place = _places(name[:2], name[2:], value)
        if place is not None and place == step:
            return _owns(below, value[place], path[1:])
    return False


def without(
    fields: Mapping[str, _Value], live: _Value, wanted: _Value
) -> tuple[_Value, _Value, int]:
    """Both versions without the managed fields that differ, and how many these are."""
    hidden = 0
    for name, below in fields.items():
        kind, text = name[:2], name[2:]
        if name == _ITSELF or not isinstance(below, dict):
            continue
        places = _places(kind, text, live), _places(kind, text, wanted)
        if places == (None, None):
            continue
        mine, its = _at(live, places[0]), _at(wanted, places[1])
        if below.keys() <= {_ITSELF} or (_ITSELF in below and None in places):
            if not same(mine, its):
                live, wanted = _removed(live, places[0]), _removed(wanted, places[1])
                hidden += 1
        else:
            mine, its, count = without(below, mine, its)
            live, wanted = _put(live, places[0], mine), _put(wanted, places[1], its)
            hidden += count
    return live, wanted, hidden


def without_mutations(fields: Mapping[str, _Value], live: _Value, outcome: _Value) -> _Value:
    """The outcome of an apply, where what the manager does not own is as it is now.

    So what admission webhooks do does not count. What is gone stays gone.
    """
    if isinstance(outcome, dict) and isinstance(live, dict):
        found: dict[str, _Value] = {}
        for key, value in outcome.items():
            below = fields.get(f"{_FIELD}{key}")
            if below is None:
                found |= {key: live[key]} if key in live else {}
            else:
                found[key] = _settled(below, live[key], value) if key in live else value
        return found
    if isinstance(outcome, list) and isinstance(live, list):
        return list(_items_settled(fields, live, outcome))
    return outcome


def _items_settled(
    fields: Mapping[str, _Value], live: Sequence[_Value], outcome: Sequence[_Value]
) -> Iterator[_Value]:
    owned = [one for one in fields.items() if one[0][:2] in (_KEYS, _ITEM)]
    at = {_places(name[:2], name[2:], outcome): (name, below) for name, below in owned}
    for place, item in enumerate(outcome):
        if place not in at:
            # Of another manager, which has it now, or of a webhook.
            if any(same(one, item) for one in live):
                yield item
            continue
        name, below = at[place]
        now = _places(name[:2], name[2:], live)
        yield item if now is None else _settled(below, live[int(now)], item)


def _settled(below: _Value, live: _Value, outcome: _Value) -> _Value:
    is_leaf = not isinstance(below, dict) or below.keys() <= {_ITSELF}
    return outcome if is_leaf else without_mutations(below, live, outcome)


def _places(kind: str, text: str, value: _Value) -> str | int | None:
    """Where a part of a tree of fields is in a value."""
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
    return all(key in item and same(item[key], one) for key, one in keys.items())


def _at(value: _Value, place: str | int | None) -> _Value:
    return None if place is None else value[place]


def _removed(value: _Value, place: str | int | None) -> _Value:
    if place is None:
        return value
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if key != place}
    return [one for at, one in enumerate(value) if at != place]


def _put(value: _Value, place: str | int | None, part: _Value) -> _Value:
    if place is None:
        return value
    if isinstance(value, dict):
        return {**value, place: part}
    return [part if at == place else one for at, one in enumerate(value)]
