"""A change of the catalog in the requested form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from commodore_py.catalog.diff.objects import counted_lines, object_diff
from commodore_py.catalog.diff.text import diff_text
from commodore_py.cli.output import formats
from commodore_py.manifests.ignore_rules import BUILT_IN
from commodore_py.model.names import counted

from . import as_text

if TYPE_CHECKING:
    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.model.catalog import Change

DiffForm = Literal["text", "objects", "stat", "none"]

# What a migration explains, where objects are compared; their form never matters then.
_EXPLAINED = {"kapitan-0.29-to-0.30": ("tiller-labels",)}


def text_of(change: Change, form: DiffForm, migration: str = "") -> str:
    """The change for a terminal."""
    if form == "objects":
        return as_text.object_diff(diff_of(change, migration))
    if form == "stat":
        return as_text.stat(counted_lines(change))
    if not change:
        return " > No changes."
    if form == "none":
        return f" > {counted(len(change.files), 'file')} changed."
    return formats.diff_lines(diff_text(change, migration=migration))


def diff_of(change: Change, migration: str = "") -> ObjectDiff:
    """The change as one of objects."""
    explained = _EXPLAINED.get(migration, ())
    rules = [*change.rules, *(BUILT_IN[name][1] for name in explained)]
    return object_diff(change, rules)
