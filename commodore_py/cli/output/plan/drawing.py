"""A plan as a picture: steps in columns, each to the right of all that it waits for (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HEIGHT, _ROW, _GAP, _LETTER, _MARGIN = 30, 46, 70, 8, 10


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and lines between them."""

    width: int
    height: int
    box: int
    boxes: tuple[dict[str, Any], ...]
    lines: tuple[tuple[int, int, int, int], ...]


def drawing_of(order: Iterable[Mapping[str, Any]]) -> Drawing:
    """The drawing of an order, whose steps name those before them."""
    before = {str(listed["step"]): [str(name) for name in listed["after"]] for listed in order}
    columns: dict[str, int] = {}
    for step in TopologicalSorter(before).static_order():
        columns[step] = max((columns[name] + 1 for name in before.get(step, ())), default=0)
    box = max((len(step) for step in columns), default=0) * _LETTER + 2 * _MARGIN
    rows: dict[int, int] = {}
    places: dict[str, tuple[int, int]] = {}
    for step, column in columns.items():
        row = rows[column] = rows.get(column, -1) + 1
        places[step] = _MARGIN + column * (box + _GAP), _MARGIN + row * _ROW
    lines = (
        (places[name][0] + box, places[name][1], *places[step])
        for step, names in before.items()
        for name in names
    )
    middle = _HEIGHT // 2
    return Drawing(
        2 * _MARGIN + (max(rows, default=0) + 1) * (box + _GAP),
        2 * _MARGIN + (max(rows.values(), default=0) + 1) * _ROW,
        box,
        tuple(
            {"name": step, "x": x, "y": y, "after": before.get(step, [])}
            for step, (x, y) in places.items()
        ),
        tuple((x, y + middle, to_x, to_y + middle) for x, y, to_x, to_y in lines),
    )
