"""A change of the catalog in the form that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from . import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from commodore_py.catalog import ObjectDiff
    from commodore_py.model import Change, DiffLine, IgnoreRule

DiffForm = Literal["text", "objects", "stat", "none"]

# What a migration explains, where objects are compared; their form never matters then.
_EXPLAINED = {"kapitan-0.29-to-0.30": ("tiller-labels",)}


@dataclass(frozen=True, slots=True)
class Wish:
    """How changes are wanted."""

    form: DiffForm = "text"
    migration: str = ""
    ignoring: bool = True


def nothing() -> tuple[bytes, ...]:
    """The contents of no files."""
    return ()


def text_of(change: Change, wish: Wish, unchanged: Callable[[], Iterable[bytes]] = nothing) -> str:
    """The change for a terminal."""
    match wish.form:
        case "text":
            return render.diff_lines(lines_of(change, wish.migration)) if change else _NOTHING
        case "objects":
            return shown(diff_of(change, wish, unchanged))
        case "stat":
            from commodore_py.catalog import counted_lines  # noqa: PLC0415 - slow to import

            from . import differences_text  # noqa: PLC0415

            return differences_text.stat(counted_lines(change))
        case "none":
            from . import differences  # noqa: PLC0415 - slow to import

            number = len(change.files)
            return f" > {differences.counted(number, 'file')} changed." if number else _NOTHING


_NOTHING = " > No changes."


def lines_of(change: Change, migration: str = "") -> tuple[DiffLine, ...]:
    """The change line by line; of one without contents, as it was kept."""
    if change.lines is not None:
        return change.lines
    from commodore_py.catalog import diff_text  # noqa: PLC0415 - slow to import

    return diff_text(change, migration=migration)


def shown(diff: ObjectDiff) -> str:
    """Changes of objects for a terminal."""
    from . import differences_text  # noqa: PLC0415 - slow to import

    return differences_text.object_diff(diff)


def diff_of(
    change: Change, wish: Wish, unchanged: Callable[[], Iterable[bytes]] = nothing
) -> ObjectDiff:
    """The change as one of objects."""
    from commodore_py.catalog import object_diff  # noqa: PLC0415 - slow to import
    from commodore_py.manifests import BUILT_IN  # noqa: PLC0415

    rules: list[IgnoreRule] = []
    if wish.ignoring:
        explained = _EXPLAINED.get(wish.migration, ())
        rules = [*change.rules, *(BUILT_IN[name][1] for name in explained)]
    return object_diff(change, rules, unchanged)


def unchanged_of(change: Change) -> Callable[[], Iterable[bytes]]:
    """The contents of files that a compile leaves as they are."""

    def contents() -> Iterable[bytes]:
        changed = {file.path for file in change.files}
        entries = () if change.after is None else change.after.items()
        return (entry.content for path, entry in entries if str(path) not in changed)

    return contents
