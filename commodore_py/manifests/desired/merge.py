"""Three-way merges: the live object, without what is gone from the target, plus the target (pure).

Objects of Kubernetes' own kinds are merged by their types, others as JSON: mappings field by
field, lists as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.values import same

from . import schema
from .schema import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

_Value: TypeAlias = Any
ABSENT: Any = object()
_TEMPLATES = "volumeClaimTemplates"


def merged(original: _Value, target: _Value, live: _Value, type_name: str | None) -> _Value:
    """What the live object becomes; `original` is what was applied last."""
    if type_name is None:
        return _json_merged(original, target, live)
    return _merged(original, target, live, Field(type_name))


def _merged(original: _Value, target: _Value, live: _Value, field: Field) -> _Value:
    if field.is_list and isinstance(target, list) and isinstance(live, list):
        applied = original if isinstance(original, list) else []
        if field.merge_key is None:
            return target
        if field.merge_key:
            return _merged_items(applied, target, live, field)
        kept = [one for one in live if one not in target and one not in applied]
        return _interleaved(kept, list(dict.fromkeys(target)), live)
    if isinstance(target, dict) and isinstance(live, dict):
        before = original if isinstance(original, dict) else {}
        return _merged_fields(before, target, live, field)
    return target


def _merged_fields(
    original: dict[str, _Value], target: dict[str, _Value], live: dict[str, _Value], field: Field
) -> dict[str, _Value]:
    result = {}
    for name in (*live, *(key for key in target if key not in live)):
        if name not in target:
            if name not in original:
                result[name] = live[name]
            continue
        inner = schema.item_of(field) if field.is_map else schema.field_of(field.type, name)
        value = target[name]
        if value is None and not field.is_map:
            continue
        if name == _TEMPLATES and same(_reduced(original.get(name, ABSENT), live.get(name)), value):
            # The server completes them, and nothing in them can be changed.
            value = live[name]
        elif name in live:
            value = _merged(original.get(name), value, live[name], inner)
        result[name] = value
    if field.retains_keys and target:
        return {name: value for name, value in result.items() if name in target}
    return result


def _merged_items(
    original: list[_Value], target: list[_Value], live: list[_Value], field: Field
) -> list[_Value]:
    key = field.merge_key or ""
    found = [_keyed(items, key) for items in (original, target, live)]
    if any(one is None for one in found):
        return target
    before, wanted, present = (one or {} for one in found)
    inner = Field(field.type, retains_keys=field.retains_keys)
    items = {
        name: _merged(before.get(name), value, present[name], inner) if name in present else value
        for name, value in wanted.items()
    }
    kept = [name for name in present if name not in wanted and name not in before]
    gone = [name for name in present if name in before and name not in wanted]
    places = _changed_in_place(
        list(present), gone, [name for name in wanted if name not in present]
    )
    order = _interleaved(kept, list(wanted), places)
    return [items.get(name, present.get(name)) for name in order]


def _changed_in_place(present: list[str], gone: list[str], new: list[str]) -> list[str]:
    """The list by which Kubernetes sorts: it has deleted items from it, and added some, in place.

    As its length is still that of the live list, items are at its end that others have replaced.
    """
    end = len(present)
    for name in gone:
        at = present.index(name, 0, end)
        present[at : end - 1] = present[at + 1 : end]
        end -= 1
    for name in new[: len(present) - end]:
        present[end] = name
        end += 1
    return present


def _keyed(items: Sequence[_Value], key: str) -> dict[str, _Value] | None:
    found: dict[str, _Value] = {}
    for item in items:
        if not isinstance(item, dict) or key not in item:
            return None
        found.setdefault(str(item[key]), item)
    return found


def _interleaved(
    kept: list[_Value], wanted: list[_Value], present: Sequence[_Value]
) -> list[_Value]:
    """The wanted items in their order; others stay before those that they stand before."""
    place = {name: at for at, name in reversed(tuple(enumerate(present)))}
    result: list[_Value] = []
    rest = list(kept)
    for name in wanted:
        while rest and name in place and place[rest[0]] < place[name]:
            result.append(rest.pop(0))
        result.append(name)
    return [*result, *rest]


def _json_merged(original: _Value, target: _Value, live: _Value) -> _Value:
    """Without a schema: fields that the target does not mention within lists are not compared."""
    if not isinstance(target, dict) or not isinstance(live, dict):
        return target
    before = original if isinstance(original, dict) else {}
    result = {}
    for name in (*live, *(key for key in target if key not in live)):
        if name not in target:
            if name not in before:
                result[name] = live[name]
        elif target[name] is None:
            continue
        elif name not in live:
            result[name] = _without_nulls(target[name])
        elif isinstance(target[name], dict):
            result[name] = _json_merged(before.get(name), target[name], live[name])
        elif same(_reduced(before.get(name, ABSENT), live[name]), target[name]):
            result[name] = live[name]
        else:
            result[name] = target[name]
    return result


def _without_nulls(value: _Value) -> _Value:
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return value


def _reduced(original: _Value, live: _Value) -> _Value:
    """A live value without the fields that were not applied."""
    if isinstance(original, dict) and isinstance(live, dict):
        return {key: _reduced(original[key], live[key]) for key in original if key in live}
    if isinstance(original, list) and isinstance(live, list):
        return [
            _reduced(original[at], one) if at < len(original) else one
            for at, one in enumerate(live)
        ]
    return live
