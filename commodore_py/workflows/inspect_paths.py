"""One part of the parameters, by its path (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model import Parameters

_PREFIX = "parameters."


def part_of(parameters: Parameters, path: str) -> object:
    """The value at `a.b`, `a:b` or `a.b.0`; a key may hold dots of its own."""
    wanted = path if "." in path else path.replace(":", ".")  # as references are written
    if wanted.startswith(_PREFIX) and "parameters" not in parameters:
        wanted = wanted.removeprefix(_PREFIX)
    here: object = parameters
    walked: list[str] = []
    rest = wanted.split(".")
    while rest:
        step = _step(here, rest)
        if step is None:
            raise _nothing_at(path, walked, rest[0], here)
        key, here, rest = step
        walked.append(key)
    return here


def _step(here: object, rest: list[str]) -> tuple[str, object, list[str]] | None:
    for length in range(1, len(rest) + 1):
        key = ".".join(rest[:length])
        for name, value in _children(here):
            if name == key:
                return key, value, rest[length:]
    return None


def _children(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        return ((str(key), child) for key, child in value.items())
    if isinstance(value, list):
        return ((str(index), child) for index, child in enumerate(value))
    return ()


def _nothing_at(path: str, walked: list[str], key: str, here: object) -> CommodoreError:
    names = [name for name, _value in _children(here)]
    close = get_close_matches(key, names, n=1)
    place = ".".join(("parameters", *walked))
    if close:
        hint = f"did you mean {'.'.join((*walked, close[0]))}?"
    elif names:
        hint = f"there are {', '.join(names)}"
    else:
        hint = f"{place} holds nothing below it"
    return CommodoreError(f"there is no parameter {path}", where=place, hint=hint)
