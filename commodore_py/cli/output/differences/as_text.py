"""Changes of objects for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.escaping import one_line
from commodore_py.cli.output import streams
from commodore_py.model.names import counted

from . import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.catalog.diff.objects import FileDifference, ObjectDiff
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.fields import FieldChange
    from commodore_py.manifests.folding import Fold

_INDENT = " " * 5
_WIDTH = len("data-loss")
_COLOURS = {
    "data-loss": "bright_red",
    "recreate": "red",
    "outage": "magenta",
    "restart": "yellow",
    "none": None,
}


def object_diff(diff: ObjectDiff) -> str:
    """All of it: changes by grade, other files, what is not shown, and the sum."""
    asides = list(words.asides(diff))
    if not diff and not asides:
        return " > No changes."
    lines = [" > Changes:" if diff else " > No object changes."]
    for grade, folds, changes in words.by_grade(diff.alone, diff.folds):
        lines += [line for fold in folds for line in _fold(grade, fold)]
        lines += [line for change in changes for line in change_lines(grade, change)]
    lines += [_INDENT + f"{'file':{_WIDTH}} {words.file_line(file)}" for file in diff.files]
    lines += [_INDENT + aside for aside in asides]
    if diff:
        lines.append(_INDENT + streams.styled(words.summary(diff), bold=True))
    return "\n".join(lines)


def stat(files: Iterable[FileDifference]) -> str:
    """Lines that come and go, file by file."""
    files = list(files)
    if not files:
        return " > No changes."
    width = max(len(one_line(file.path)) for file in files)
    lines = [" > Changes:"]
    for file in files:
        count = "binary" if file.added is None else f"+{file.added} -{file.removed}"
        lines.append(f"{_INDENT}{one_line(file.path):{width}} | {count} ({file.kind})")
    added, removed = (
        sum(n or 0 for n in of)
        for of in ([file.added for file in files], [file.removed for file in files])
    )
    lines.append(f"{_INDENT}{counted(len(files), 'file')} changed, +{added} -{removed}")
    return "\n".join(lines)


def _fold(grade: str, fold: Fold) -> Iterator[str]:
    text = f"{words.field_line(fold.field, fold.path)} in {words.kinds(fold.objects)}"
    if words.is_text(fold.field):
        text = f"{one_line(fold.path)} in {words.kinds(fold.objects)}:"
    yield headed(grade, _with_reason(text, words.reason(fold.field)))
    if words.is_text(fold.field):
        yield from _text(fold.field)


def change_lines(grade: str, change: ObjectChange) -> Iterator[str]:
    """Render the change of one object."""
    text = f"{change.what} {words.title(change)}"
    yield headed(grade, _with_reason(text, change.reason))
    for field in change.fields:
        yield _below(_with_reason(words.field_line(field), words.reason(field)))
        if words.is_text(field):
            yield from _text(field)


def _text(field: FieldChange) -> Iterator[str]:
    for line in words.text_lines(field):
        colour = {"+": "green", "-": "red"}.get(line[:1])
        yield _below("  " + (streams.styled(line, fg=colour) if colour else line))


def headed(grade: str, text: str) -> str:
    """A line that begins with a grade."""
    colour = _COLOURS[grade]
    word = f"{grade:{_WIDTH}}"
    shown = streams.styled(word, fg=colour, bold=grade == "data-loss") if colour else word
    return f"{_INDENT}{shown} {text}"


def _below(text: str) -> str:
    return f"{_INDENT}{'':{_WIDTH}}   {text}".rstrip()


def _with_reason(text: str, reason: str) -> str:
    return f"{text} ({reason})" if reason else text
