"""One self-contained HTML page: sections of rows that can be searched, sorted and unfolded."""

from __future__ import annotations

import html
import json
import os
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.files import write_if_changed
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class Column(NamedTuple):
    """A column: numbers are sorted by value, grades and severities coloured."""

    name: str
    number: bool = False
    graded: bool = False


class Row(NamedTuple):
    """The texts of one row; `more` is unfolded on request, `numbers` sort columns by value."""

    cells: Sequence[str]
    more: str = ""
    numbers: Sequence[float] = ()


class Section(NamedTuple):
    """A tab of the page."""

    id: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    note: str = ""
    empty: str = "Nothing."
    counted: bool = True


def page(title: str, about: str, sections: Iterable[Section], *, picture: str = "") -> str:
    """The page; it loads nothing, and no text of the data can become markup or code.

    The picture is markup: who makes it has escaped its texts.
    """
    content = {"title": title, "about": about, "sections": [_section(one) for one in sections]}
    # Only ASCII, and no `<`: neither an end tag nor a comment can begin inside.
    data = json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")
    template = files(__name__).joinpath("page.html").read_text("utf-8")
    before, _, after = template.partition("@DATA@")
    before = before.replace("@PICTURE@", picture).replace("@TITLE@", html.escape(title))
    return before + data + after


def refuse_page(file: Path) -> None:
    """Fail before a long run where its page cannot be written."""
    above = next(one for one in file.absolute().parents if one.exists())
    if not above.is_dir():
        problem = f"{above} is a file"
    elif not os.access(file if file.exists() else above, os.W_OK):
        problem = "permission denied"
    else:
        return
    raise CommodoreError(
        f"cannot write the page there: {problem}", where=str(file), hint="name another file"
    )


def write_page(file: Path, title: str, about: str, sections: Iterable[Section]) -> None:
    """Write the page to a file; a new one is its owner's: it may hold facts of the cluster."""
    write_if_changed(file, page(title, about, sections).encode(), private=True)


def _section(section: Section) -> dict[str, object]:
    return {
        **section._asdict(),
        "columns": [column._asdict() for column in section.columns],
        "rows": [_row(row) for row in section.rows],
    }


def _row(row: Row) -> dict[str, object]:
    found: dict[str, object] = {"cells": list(row.cells)}
    if row.more:
        found["more"] = row.more
    if row.numbers:
        found["numbers"] = list(row.numbers)
    return found
