"""Changes of objects for a comment on a pull request."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from commodore_py.model.difference import GRADES

from . import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.fields import FieldChange
    from commodore_py.manifests.folding import Fold

LONGEST = 60_000
"""Comments of GitHub and GitLab end not far above."""

# Room for the summary of what was omitted.
_RESERVED = 500
_MOST_NAMES = 20
_TICKS = re.compile("`+")


def object_diff(diff: ObjectDiff) -> str:
    """The sum first, then what is worst; what does not fit is counted."""
    blocks = list(_blocks(diff))
    text, left_out = _summary(diff), Counter[str]()
    for grade, block in blocks:
        if left_out or len((text + block).encode()) > LONGEST - _RESERVED:
            left_out[grade] += block.startswith("- ")
        else:
            text += block
    if left_out.total():
        parts = ", ".join(f"{number} {grade}" for grade, number in left_out.items() if number)
        text += f"\n_Omitted because of the size limit: {left_out.total()} entries ({parts})._\n"
    return text.rstrip("\n")


def _summary(diff: ObjectDiff) -> str:
    lines = ["### Catalog", ""]
    if not diff:
        lines.append("No object changes.")
    else:
        lines += [f"**{words.summary(diff)}**", ""]
    lines += [f"_{aside}_  " for aside in words.asides(diff)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _blocks(diff: ObjectDiff) -> Iterator[tuple[str, str]]:
    for grade, folds, changes in words.by_grade(diff.alone, diff.folds):
        if folds or changes:
            heading = "Other changes" if grade == GRADES[-1] else grade.capitalize()
            yield grade, f"\n#### {heading}\n\n"
        for fold in folds:
            yield grade, _block(_fold(fold))
        for change in changes:
            yield grade, _block(change_lines(change))
    if diff.files:
        yield "files", "\n#### Other files\n\n"
    for file in diff.files:
        yield "files", f"- {code(words.file_line(file))}\n"


def _block(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _fold(fold: Fold) -> Iterator[str]:
    line = _line(fold.field, fold.path)
    yield f"- {line} in {words.kinds(fold.objects)}{_because(words.reason(fold.field))}"
    yield from _text(fold.field)
    names = [code(str(id_)) for id_ in fold.objects[:_MOST_NAMES]]
    if more := len(fold.objects) - len(names):
        names.append(f"and {more} more")
    # The empty lines make Markdown of it again.
    yield f"  <details><summary>Objects</summary>\n\n  {', '.join(names)}\n\n  </details>"


def change_lines(change: ObjectChange) -> Iterator[str]:
    """Render the change of one object."""
    yield f"- {change.what} {code(words.title(change))}{_because(change.reason)}"
    for field in change.fields:
        yield f"  - {_line(field)}{_because(words.reason(field))}"
        yield from (f"  {line}".rstrip() for line in _text(field))


def _line(field: FieldChange, path: str = "") -> str:
    return code(words.field_line(field, path))


def _text(field: FieldChange) -> Iterator[str]:
    if words.is_text(field):
        lines = words.text_lines(field)
        fence = _fence("\n".join(lines), least=3)
        yield f"  {fence}diff"
        yield from (f"  {line}".rstrip() for line in lines)
        yield f"  {fence}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def code(text: str) -> str:
    """A text as code, whatever it holds."""
    fence = _fence(text, least=1)
    pad = " " if len(fence) > 1 or text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(text: str, *, least: int) -> str:
    runs = [len(run) for run in _TICKS.findall(text)]
    return "`" * max([least, *(run + 1 for run in runs)])
