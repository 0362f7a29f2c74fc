"""One part of the parameters, by its path (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.paths import path_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.inventory import Parameters


def part_of(parameters: Parameters, path: str) -> object:
    """The value at a path, written as for `inventory explain`: `a.b[0]."key.with.dots"`."""
    here: object = parameters
    walked: list[str] = []
    for part in path_parts(path):
        key = str(part)
        children = dict(_children(here))
        if key not in children:
            raise _not_found(path, walked, key, here)
        here = children[key]
        walked.append(key)
    return here


def _children(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        return ((str(key), child) for key, child in value.items())
    if isinstance(value, list):
        return ((str(index), child) for index, child in enumerate(value))
    return ()


def _not_found(path: str, walked: list[str], key: str, here: object) -> CommodoreError:
    names = [name for name, _value in _children(here)]
    close = get_close_matches(key, names, n=1)
    place = ".".join(("parameters", *walked))
    if close:
        hint = f"did you mean {'.'.join((*walked, close[0]))}?"
    elif names:
        hint = f"there are {', '.join(names)}"
    else:
        hint = f"{place} is not a mapping or list"
    return CommodoreError(f"parameter {path} not found", where=place, hint=hint)
