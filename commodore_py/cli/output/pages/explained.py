"""How a parameter got its value, as sections of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.cli.output.readable import inline
from commodore_py.inventory.explain.explanation import MISSING

from . import Column, Row, Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.inventory.explain.explanation import Change, Explanation

_COLUMNS = (
    Column("Layer", number=True),
    Column("Place"),
    Column("Action"),
    Column("Written"),
    Column("Value after it"),
)
_LONGEST = 200


def about(explanation: Explanation) -> str:
    """The value itself."""
    return explanation.problem or f"is {_value(explanation.value)}"


def sections_of(explanation: Explanation) -> Iterator[Section]:
    """The layers of the parameter, then those of each that it looked up."""
    yield _section("value", explanation.path, explanation)
    for number, (path, below) in enumerate(explanation.looked_up.items(), 1):
        yield _section(f"lookup-{number}", path, below)


def _section(id_: str, title: str, explanation: Explanation) -> Section:
    rows = [_row(number, change) for number, change in enumerate(explanation.changes, 1)]
    note = "Every layer that sets it, the lowest first. Select one to see how it came in."
    return Section(id_, title, _COLUMNS, rows, note, "It has no value.")


def _row(number: int, change: Change) -> Row:
    cells = (
        str(number),
        str(change.place),
        change.action,
        _value(change.written),
        _value(change.after),
    )
    return Row(cells, "\n".join(_details(change)), (number,))


def _details(change: Change) -> Iterator[str]:
    yield "included by: " + " -> ".join(change.chain)
    for reference in change.references:
        found = reference.problem or inline(reference.value)
        yield f"{reference.written}: {found}"
    if change.problem:
        yield f"error: {change.problem}"


def _value(value: object) -> str:
    if value is MISSING:
        return ""
    text = inline(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
