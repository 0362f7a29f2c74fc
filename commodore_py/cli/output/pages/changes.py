"""Changes of objects as sections of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.cli.output.differences import words
from commodore_py.manifests.secrets import masked_value

from . import Column, Row, Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.manifests.diff import ObjectChange

_OBJECTS = (
    Column("Grade", graded=True),
    Column("Change"),
    Column("Object"),
    Column("Why"),
    Column("File"),
)


def sections_of(diff: ObjectDiff) -> Iterator[Section]:
    """Changed objects with their fields, then what several of them have in common, then files."""
    yield Section(
        "changes",
        "Changes",
        _OBJECTS,
        [_object(change) for change in diff.objects],
        " · ".join((words.summary(diff), *words.asides(diff))),
        "No object changes.",
    )
    if diff.folds:
        yield Section(
            "common",
            "In common",
            (Column("Grade", graded=True), Column("Field"), Column("Objects")),
            [
                Row(
                    (one.field.grade, words.field_line(one.field, one.path), words.kinds(one)),
                    "\n".join(str(id_) for id_ in one.objects),
                )
                for one in diff.folds
            ],
            "Changes that several objects have in common.",
        )
    if diff.files:
        yield Section(
            "files",
            "Other files",
            (Column("File"),),
            [Row((words.file_line(one),)) for one in diff.files],
            "Files that are not Kubernetes objects.",
        )


def _object(change: ObjectChange) -> Row:
    cells = (change.grade, change.what, words.title(change), change.reason, change.file)
    return Row(cells, "\n".join(_details(change)))


def _details(change: ObjectChange) -> Iterator[str]:
    for field in change.fields:
        because = words.reason(field)
        yield words.field_line(field) + (f"    # {because}" if because else "")
        if words.is_text(field):
            yield from (f"  {line}" for line in words.text_lines(field))
    there = change.new or change.old
    if there is not None and there.content:
        yield f"\n# {'after' if change.new else 'before'}"
        yield yaml.dump(masked_value(there.content)).decode()
