"""Secret references of the inventory: where they stand, and what they refer to (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.model.spot import Spot

from .backends import REF_BACKENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import ParameterPath, PlaceOf

    Texts: TypeAlias = Mapping[str, tuple[Spot, ...]]
    """Every text, sorted, and all parameters that hold it."""
    Marked: TypeAlias = tuple[tuple[Spot, str], ...]
    """The values of the inventory that hold the beginning of a reference."""

_MARK = "?{"
_REFERENCE = re.compile(r"\?\{([^}]+)\}")


def references_in(marked: Marked) -> Texts:
    """The references among texts, without their braces."""
    return _by_text(_REFERENCE, marked)


def unclosed_in(marked: Marked) -> Texts:
    """Texts from the beginning of a reference to the end of a value that has no brace."""
    kinds = "|".join(map(re.escape, REF_BACKENDS))
    return _by_text(re.compile(rf"\?\{{((?:{kinds})\b[^}}]*)\Z"), marked)


def _by_text(pattern: re.Pattern[str], marked: Marked) -> Texts:
    spots: dict[str, list[Spot]] = {}
    for spot, text in marked:
        for found in pattern.findall(text):
            spots.setdefault(found, []).append(spot)
    return {text: tuple(spots[text]) for text in sorted(spots)}


def find_marked(inventory: Inventory) -> Marked:
    """Look through the inventory.

    A component's parameters count as its instances see them; everything that belongs to no
    component counts as the bootstrap target sees it.
    """
    component_keys = {instance.component_key for instance in inventory.instances}
    bootstrap = inventory.bootstrap
    searched: list[tuple[str, str, object]] = [
        (bootstrap.name, key, value)
        for key, value in bootstrap.parameters.items()
        if key not in component_keys
    ]
    for instance in sorted(inventory.instances, key=lambda instance: instance.name):
        key = instance.component_key
        value = inventory.nodes[instance.name].parameters.get(key)
        searched.append((instance.name, key, value))
    return tuple(
        marked for target, key, value in searched for marked in _look(target, (key,), value)
    )


def _look(target: str, path: ParameterPath, value: object) -> Iterator[tuple[Spot, str]]:
    match value:
        case str():
            if _MARK in value:
                yield Spot(target, path), value
        case Mapping():
            for key, below in value.items():
                yield from _look(target, (*path, key), below)
        case list() | tuple():
            for index, below in enumerate(value):
                yield from _look(target, (*path, f"[{index}]"), below)


def places_text(spots: Sequence[Spot], place_of: PlaceOf) -> str:
    """Where the first one comes from, which parameter it is, and how many more there are."""
    first, *more = dict.fromkeys(spots)
    shown = first.seen_from(place_of)
    return f"{shown} (and {len(more)} more)" if more else shown
