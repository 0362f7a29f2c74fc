"""A change of the catalog in the requested form."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How changes are wanted."""

    form: DiffForm = "text"
    migration: str = ""


def text_of(change: Change, options: DiffOptions) -> str:
    """The change for a terminal."""
    match options.form:
        case "text":
            return (
                formats.diff_lines(diff_text(change, migration=options.migration))
                if change
                else _NOTHING
            )
        case "objects":
            return shown(diff_of(change, options))
        case "stat":
            return as_text.stat(counted_lines(change))
        case "none":
            number = len(change.files)
            return f" > {counted(number, 'file')} changed." if number else _NOTHING


_NOTHING = " > No changes."


def shown(diff: ObjectDiff) -> str:
    """Changes of objects for a terminal."""
    return as_text.object_diff(diff)


def diff_of(change: Change, options: DiffOptions) -> ObjectDiff:
    """The change as one of objects."""
    explained = _EXPLAINED.get(options.migration, ())
    rules = [*change.rules, *(BUILT_IN[name][1] for name in explained)]
    return object_diff(change, rules)
