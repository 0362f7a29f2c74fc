"""Compare two versions of an object, field by field (pure)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from . import merge_keys
from .paths import FieldPath, Item
from .values import canonical, leaves, same, similarity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.model.difference import Grade

    from .values import Canonical

Happened = Literal["added", "removed", "changed", "reordered"]
# Items below this similarity count as removed and added, not as changed.
_SIMILAR = 0.5
# Every pair of items is compared, which is too slow for more.
_MAX_PAIRS = 2500


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that was added, removed, or has another value.

    Positions in lists are those of the old list; the position of an added item is the new one.
    """

    path: FieldPath
    happened: Happened
    old: object = None
    new: object = None
    order: tuple[int, ...] = ()
    """For a reordered list: the old positions of the items that stay, in their new order."""
    grade: Grade = "none"
    reason: str = ""


def field_changes(old: object, new: object) -> tuple[FieldChange, ...]:
    """All changes that turn the old value into the new one."""
    return tuple(_changes(old, new, ()))


def _changes(old: object, new: object, path: FieldPath) -> Iterator[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}, key=str):
            below = (*path, key)
            if key not in new:
                yield FieldChange(below, "removed", old=old[key])
            elif key not in old:
                yield FieldChange(below, "added", new=new[key])
            elif type(old[key]) is not str or old[key] != new[key]:  # most are equal strings
                yield from _changes(old[key], new[key], below)
    elif isinstance(old, list) and isinstance(new, list):
        if not same(old, new):
            yield from _list_changes(old, new, path)
    elif not same(old, new):
        yield FieldChange(path, "changed", old, new)


def _list_changes(
    old: Sequence[object], new: Sequence[object], path: FieldPath
) -> Iterator[FieldChange]:
    field = next((str(step) for step in reversed(path) if not isinstance(step, Item)), "")
    labels = merge_keys.labels(field, old, new)
    if labels is None:
        pairs = _pairs_by_content(old, new, in_place=field not in merge_keys.UNORDERED)
        old_steps, new_steps = (
            [Item(at, by_value=not isinstance(item, dict | list)) for at, item in enumerate(items)]
            for items in (old, new)
        )
    else:
        pairs = merge_keys.paired(*labels)
        old_steps, new_steps = (
            [Item(at, label) for at, label in enumerate(side)] for side in labels
        )
    for at, item in enumerate(old):
        if at in pairs:
            step = replace(old_steps[at], by_value=False)
            yield from _changes(item, new[pairs[at]], (*path, step))
        else:
            yield FieldChange((*path, old_steps[at]), "removed", old=item)
    taken = set(pairs.values())
    for at, item in enumerate(new):
        if at not in taken:
            yield FieldChange((*path, new_steps[at]), "added", new=item)
    order = tuple(sorted(pairs, key=pairs.__getitem__))
    if list(order) != sorted(order):
        shown = [_shown(old_steps[at], old[at]) for at in sorted(order)]
        again = [_shown(old_steps[at], old[at]) for at in order]
        yield FieldChange(path, "reordered", shown, again, order)


def _pairs_by_content(
    old: Sequence[object], new: Sequence[object], *, in_place: bool
) -> dict[int, int]:
    """Pair equal items first, then items at the same position or of similar content."""
    places: dict[Canonical, list[int]] = defaultdict(list)
    for at in reversed(range(len(new))):
        places[canonical(new[at])].append(at)
    pairs: dict[int, int] = {}
    for at, item in enumerate(old):
        if same_ones := places.get(canonical(item)):
            pairs[at] = same_ones.pop()
    taken = set(pairs.values())
    unpaired = [at for at in range(len(old)) if at not in pairs]
    added = {at for at in range(len(new)) if at not in taken}
    if in_place:
        pairs |= {
            at: at
            for at in unpaired
            if at in added and not any(isinstance(item, dict | list) for item in (old[at], new[at]))
        }
    return {**pairs, **_pairs_by_similarity(old, new, unpaired, added)}


def _pairs_by_similarity(
    old: Sequence[object], new: Sequence[object], unpaired: Iterable[int], added: Iterable[int]
) -> dict[int, int]:
    before = {at: leaves(old[at]) for at in unpaired if isinstance(old[at], dict)}
    after = {at: leaves(new[at]) for at in added if isinstance(new[at], dict)}
    if len(before) * len(after) > _MAX_PAIRS:
        return {}
    scores = sorted(
        (-similarity(before[before_at], after[after_at]), before_at, after_at)
        for before_at in before
        for after_at in after
    )
    pairs: dict[int, int] = {}
    for score, before_at, after_at in scores:
        if -score >= _SIMILAR and before_at not in pairs and after_at not in pairs.values():
            pairs[before_at] = after_at
    return pairs


def _shown(item: Item, value: object) -> object:
    if item.label:
        return ",".join(text for _, text in item.label)
    return f"[{item.index}]" if isinstance(value, dict | list) else value
