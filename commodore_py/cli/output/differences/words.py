"""Words for changes of objects, the same in every form."""

from __future__ import annotations

import json
import re
from collections import Counter
from difflib import unified_diff
from typing import TYPE_CHECKING

from commodore_py.adapters.escaping import one_line
from commodore_py.manifests.paths import written
from commodore_py.model.difference import GRADES
from commodore_py.model.names import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.catalog.diff.objects import FileDifference, ObjectDiff
    from commodore_py.manifests.diff import ObjectChange, What
    from commodore_py.manifests.fields import FieldChange
    from commodore_py.manifests.folding import Fold
    from commodore_py.manifests.ignore_rules import Hidden
    from commodore_py.manifests.objects import ObjectId

_LONGEST = 160
_MOST_LINES = 40
WHATS: tuple[What, ...] = (
    "created",
    "deleted",
    "renamed",
    "changed",
)
# Texts that would be something else without quotes.
_NO_TEXT = re.compile(
    r"[-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\.\d+|0x[\da-f]+|\.inf|\.nan)"
    r"|true|false|yes|no|on|off|null|~|",
    re.IGNORECASE,
)


def summary(diff: ObjectDiff) -> str:
    """How many objects and files, and how bad: one line."""
    whats = Counter(change.what for change in diff.objects)
    grades = Counter(change.grade for change in diff.objects)
    parts = [f"{whats[what]} {what}" for what in WHATS if whats[what]]
    text = f"objects: {', '.join(parts) or 'no change'}"
    if bad := [f"{grades[grade]} {grade}" for grade in GRADES if grades[grade]]:
        text += f" ({', '.join(bad)})"
    if diff.files:
        text += f"; other files: {len(diff.files)}"
    return text


def asides(diff: ObjectDiff) -> Iterator[str]:
    """Name what is not shown: what rules hide, and files that differ without meaning."""
    for hidden_changes in diff.hidden:
        yield hidden(hidden_changes)
    if diff.quiet:
        yield f"{counted(diff.quiet, 'file')} changed only in form, order or place"


def hidden(hidden_changes: Hidden) -> str:
    """Name what a rule hides."""
    changes = counted(hidden_changes.changes, "change")
    objects = counted(hidden_changes.objects, "object")
    up_to = "" if hidden_changes.worst == "none" else f", up to {hidden_changes.worst}"
    return f"{changes} in {objects} hidden by rule {hidden_changes.rule}{up_to}"


def title(change: ObjectChange) -> str:
    """Which object, and what it was called before."""
    text = one_line(str(change.id))
    if change.what == "renamed" and change.old is not None:
        text = f"{one_line(str(change.old.id))} => {one_line(change.id.name)}"
    return text


def file_line(file: FileDifference) -> str:
    """A file that is changed as a file."""
    path = one_line(file.path)
    if file.old_path != file.path:
        path = f"{one_line(file.old_path)} => {path}"
    lines = "binary" if file.added is None else f"+{file.added} -{file.removed}"
    return f"{file.kind} {path} ({lines})"


def field_line(field: FieldChange, path: str = "") -> str:
    """A change of a field in one line; one of a text of several lines only names it."""
    path = one_line(path or written(field.path))
    match field.happened:
        case "added":
            return f"+ {path}: {value(field.new)}"
        case "removed":
            return f"- {path}: {value(field.old)}"
        case "reordered":
            return f"{path}: order {value(field.old)} -> {value(field.new)}"
    if is_text(field):
        return f"{path}:"
    return f"{path}: {value(field.old)} -> {value(field.new)}"


def reason(field: FieldChange) -> str:
    """Why a change is dangerous, if the field does not show it."""
    return field.reason if field.grade in GRADES[: GRADES.index("restart")] else ""


def is_text(field: FieldChange) -> bool:
    """Return whether lines of a text changed."""
    return (
        field.happened == "changed"
        and isinstance(field.old, str)
        and isinstance(field.new, str)
        and ("\n" in field.old.rstrip("\n") or "\n" in field.new.rstrip("\n"))
    )


def text_lines(field: FieldChange) -> list[str]:
    """The lines that change in a text."""
    old, new = (str(text).split("\n") for text in (field.old, field.new))
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    changed = [f"{line[:1]}{one_line(line[1:])}".rstrip() for line in lines]
    if len(changed) > _MOST_LINES:
        changed[_MOST_LINES:] = [f"… {counted(len(changed) - _MOST_LINES, 'more line')}"]
    return changed


def kinds(objects: Sequence[ObjectId], *, at_most: int | None = None) -> str:
    """How many objects, and of which kinds most."""
    counts = Counter(id_.kind for id_ in objects)
    most_common = [f"{number} {one_line(kind)}" for kind, number in counts.most_common(at_most)]
    more = ["…"] if len(most_common) < len(counts) else []
    return f"{counted(len(objects), 'object')} ({', '.join([*most_common, *more])})"


def value(content: object) -> str:
    """A value on one line, shortened."""
    if isinstance(content, str) and not _NO_TEXT.fullmatch(content) and content == content.strip():
        text = one_line(content)
    else:
        text = one_line(json.dumps(content, ensure_ascii=False, default=str))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def by_grade(
    changes: Iterable[ObjectChange], folds: Iterable[Fold]
) -> Iterator[tuple[str, list[Fold], list[ObjectChange]]]:
    """Group folds and changes by grade, the worst first."""
    changes, folds = list(changes), list(folds)
    for grade in GRADES:
        yield (
            grade,
            [fold for fold in folds if fold.field.grade == grade],
            [change for change in changes if change.grade == grade],
        )
