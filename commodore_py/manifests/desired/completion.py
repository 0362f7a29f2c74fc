"""Targets completed by what only the live object has (pure).

Lists of Kubernetes' own kinds are merged by their keys, as the server merges them. Other lists
are replaced as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests import merge_keys, quantities

from . import schema
from .managed import ATOMIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .schema import Field

_Value: TypeAlias = Any

# What the server adds to items of lists that an apply replaces as a whole.
_FILLED_IN = frozenset({"apiGroup", "apiVersion", "expirationSeconds", "protocol", "scope"})
# Many add to these, so what others have added stays even if a target has none.
_SHARED = frozenset({"annotations", "labels"})
# The server completes these, and nothing in them can be changed.
_TEMPLATES = "volumeClaimTemplates"


def completed(
    target: _Value,
    live: _Value,
    records: Sequence[_Value],
    field: Field | None,
    *,
    name: str = "",
    is_replaced: bool = False,
) -> _Value:
    """A target with the live fields that no record of what was applied has.

    Without a `field`, nothing is known about the type. `is_replaced` is for items of lists that
    an apply replaces as a whole: what only the live one has goes, except for defaults.
    """
    if any(record is ATOMIC for record in records):
        records, is_replaced = [], True
    if isinstance(target, dict) and isinstance(live, dict):
        mappings = [record for record in records if isinstance(record, dict)]
        return _fields(target, live, mappings, field, is_replaced=is_replaced)
    if isinstance(target, list) and isinstance(live, list):
        lists = [record for record in records if isinstance(record, list)]
        return _items(target, live, lists, field, name=name, is_replaced=is_replaced)
    if field is not None and field.scalar == "q":
        number = quantities.parse(target)
        return live if number is not None and number == quantities.parse(live) else target
    return target


def _fields(
    target: dict[str, _Value],
    live: dict[str, _Value],
    records: Sequence[dict[str, _Value]],
    field: Field | None,
    *,
    is_replaced: bool = False,
) -> dict[str, _Value]:
    fields = {}
    for name in (*live, *(key for key in target if key not in live)):
        inner = _inner(field, name)
        value = target.get(name)
        if name in target and not _is_absent(value, live.get(name), field, inner):
            if name in live:
                before = [record[name] for record in records if name in record]
                value = completed(
                    value, live[name], before, inner, name=name, is_replaced=is_replaced
                )
            fields[name] = value
        elif name in _SHARED and isinstance(live.get(name), dict):
            applied = [record[name] for record in records if isinstance(record.get(name), dict)]
            others = _fields({}, live[name], applied, inner)
            fields |= {name: others} if others or not live[name] else {}
        elif name in live:
            deletes = name in target and field is None  # null, for objects without a schema
            was_applied = any(record.get(name) is not None for record in records)
            was_applied = was_applied and not _is_absent(live[name], None, field, inner)
            is_default = not live[name] or name in _FILLED_IN
            if not deletes and not was_applied and (not is_replaced or is_default):
                fields[name] = live[name]
    return fields


def _inner(field: Field | None, name: str) -> Field | None:
    if field is None:
        return None
    return schema.item_of(field) if field.is_map else schema.field_of(field.type, name)


def _is_absent(value: _Value, live: _Value, field: Field | None, inner: Field | None) -> bool:
    """Return whether a value of a target means the same to the server as no value."""
    if field is None:
        return value is None
    if value is None:
        return not field.is_map
    if value or live:
        return False
    return isinstance(value, list) or (inner is not None and inner.omits_zero)


def _items(
    target: list[_Value],
    live: list[_Value],
    records: Sequence[list[_Value]],
    field: Field | None,
    *,
    name: str,
    is_replaced: bool,
) -> list[_Value]:
    has_keys = field is not None and field.merge_key is not None
    pairs = _partners(name, target, live)
    if pairs is None:
        return target
    before = [(record, _partners(name, record, live) or {}) for record in records]
    replaced = field is not None and (is_replaced or not has_keys) and name != _TEMPLATES
    inner = None if field is None else schema.item_of(field)
    items = list(target)
    for at, to in pairs.items():
        applied = [record[places[at]] for record, places in before if at in places]
        items[to] = completed(target[to], live[at], applied, inner, name=name, is_replaced=replaced)
    if not has_keys:
        return items
    others = [at for at in range(len(live)) if not any(at in places for _, places in before)]
    return _interleaved(items, live, pairs, others)


def _partners(name: str, items: list[_Value], live: list[_Value]) -> Mapping[int, int] | None:
    """By place in the live list, the place of the same item in another list."""
    if not any(isinstance(item, dict | list) for item in (*items, *live)):
        return {at: items.index(item) for at, item in enumerate(live) if item in items}
    labels = merge_keys.labels(name, items, live)
    if labels is None:
        return {at: at for at in range(len(live))} if len(items) == len(live) else None
    return merge_keys.paired(labels[1], labels[0])


def _interleaved(
    items: list[_Value], live: list[_Value], pairs: Mapping[int, int], others: Sequence[int]
) -> list[_Value]:
    """The items of a target; other live ones stay behind what they stand behind."""
    result = [*range(len(items))]
    before = None
    for at in range(len(live)):
        if at in pairs:
            before = pairs[at]
        elif at in others:
            result.insert(0 if before is None else result.index(before) + 1, -1 - at)
            before = -1 - at
    return [items[at] if at >= 0 else live[-1 - at] for at in result]
