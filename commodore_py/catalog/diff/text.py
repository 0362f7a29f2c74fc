"""A change of the catalog as lines to read (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher, unified_diff
from itertools import pairwise
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.manifests.secret_texts import masked_texts
from commodore_py.manifests.secrets import MAY_BE_SECRET
from commodore_py.model.catalog import DiffLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.model.catalog import Change, Colour, FileChange

_INDENT = " " * 5
_COLOURS: tuple[tuple[str, Colour], ...] = (
    ("--- ", "yellow"),
    ("+++ ", "yellow"),
    ("@@ ", "yellow"),
    ("+", "green"),
    ("-", "red"),
)
_FILE_TYPES = {0o100000: "file", 0o120000: "symbolic link", 0o160000: "submodule"}
_FILE_TYPE_BITS = 0o170000
# Git looks no further either before it calls a file binary.
_BINARY_SAMPLE = 8000


def diff_text(change: Change, *, migration: str = "") -> tuple[DiffLine, ...]:
    """All changes: first what came and went, then content; a migration hides what it explains."""
    if not change:
        return (DiffLine(" > No changes."),)
    contents = [_content(file, migration) for file in _with_content(change)]
    lines = [*_headlines(change), *(line for lines in contents for line in lines)]
    if not lines:
        count = len(contents)
        files = "1 changed file differs" if count == 1 else f"{count} changed files differ"
        lines = [DiffLine(f"{files} only in what {migration} hides")]
    return (
        DiffLine(" > Changes:"),
        *(
            (DiffLine(_INDENT + line.text, line.colour) if line.text.strip() else line)
            for line in lines
        ),
    )


def _headlines(change: Change) -> Iterator[DiffLine]:
    for file in _of_kind(change, "deleted"):
        yield DiffLine(f"Deleted file {_shown(file.path)}", "red")
    for file in _of_kind(change, "added"):
        yield DiffLine(f"Added file {_shown(file.path)}", "green")
    for file in _of_kind(change, "renamed"):
        yield DiffLine(f"Renamed file {_shown(file.old_path)} => {_shown(file.path)}", "yellow")


def _with_content(change: Change) -> Iterator[FileChange]:
    for file in change.files:
        if file.kind == "modified" or (
            file.kind == "renamed" and (file.old != file.new or file.old_mode != file.new_mode)
        ):
            yield file
    yield from _of_kind(change, "retyped")


def _of_kind(change: Change, kind: str) -> Iterable[FileChange]:
    return (file for file in change.files if file.kind == kind)


def _content(file: FileChange, migration: str) -> tuple[DiffLine, ...]:
    lines: list[DiffLine] = []
    if file.old_mode != file.new_mode:
        lines.append(DiffLine(_mode_change(file), "yellow"))
    if file.old == file.new:
        pass
    elif is_binary(file.old) or is_binary(file.new):
        lines.append(_binary_change(file))
    else:
        lines += _text_change(file, migration)
    return tuple(lines)


def _text_change(file: FileChange, migration: str) -> Iterable[DiffLine]:
    diff = _unified(file, *_masked(file.old, file.new))
    if migration:
        old, new = normalised(file.old), normalised(file.new)
        if old is not None and new is not None:
            diff = _unified(file, *_masked(old.encode(), new.encode()))
            if is_noise(diff, migration=migration):
                return ()
    if not diff:
        # Only what cannot be read makes two contents look alike.
        return (_binary_change(file),)
    return _similarity(file) if file.kind == "renamed" else map(_coloured, _without_blank_end(diff))


def _masked(old: bytes, new: bytes) -> tuple[str, str]:
    if MAY_BE_SECRET.search(old) or MAY_BE_SECRET.search(new):
        return masked_texts(old, new)
    return _decoded(old), _decoded(new)


def _unified(file: FileChange, old: str, new: str) -> list[str]:
    lines = unified_diff(
        old.split("\n"),
        new.split("\n"),
        fromfile=_shown(file.old_path),
        tofile=_shown(file.path),
        lineterm="",
    )
    return list(lines)


def _without_blank_end(diff: list[str]) -> list[str]:
    """A diff without blank context, and blanks after context, at its very end."""
    end = len(diff)
    while not diff[end - 1].strip():
        end -= 1
    last = diff[end - 1]
    return [*diff[: end - 1], last.rstrip() if last.startswith(" ") else last]


def _similarity(file: FileChange) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, _decoded(file.old).split("\n"), _decoded(file.new).split("\n"))
    yield DiffLine(f"--- {_shown(file.old_path)}", "yellow")
    yield DiffLine(f"+++ {_shown(file.path)}", "yellow")
    yield DiffLine(f"Renamed file, similarity index {matcher.ratio():.2%}")


def _mode_change(file: FileChange) -> str:
    old, new = _file_type(file.old_mode), _file_type(file.new_mode)
    if old != new:
        return f"Changed type of {_shown(file.path)}: {old} => {new}"
    return f"Changed mode of {_shown(file.path)}: {file.old_mode:o} => {file.new_mode:o}"


def _file_type(mode: int) -> str:
    return _FILE_TYPES.get(mode & _FILE_TYPE_BITS, f"{mode:o}")


def _binary_change(file: FileChange) -> DiffLine:
    sizes = f"{len(file.old)} => {len(file.new)} bytes"
    return DiffLine(f"Binary content of {_shown(file.path)} differs: {sizes}", "yellow")


def is_binary(content: bytes) -> bool:
    """Return whether a file is binary to Git."""
    return b"\0" in content[:_BINARY_SAMPLE]


def _decoded(content: bytes) -> str:
    return content.decode(errors="replace")


def _shown(path: str) -> str:
    # Names that are not UTF-8 carry surrogates, which cannot be printed.
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _coloured(line: str) -> DiffLine:
    return DiffLine(line, next((c for start, c in _COLOURS if line.startswith(start)), ""))


KAPITAN_0_29_TO_0_30 = "kapitan-0.29-to-0.30"

_MOVED_LABELS = (
    ("app.kubernetes.io/managed-by: Tiller", "app.kubernetes.io/managed-by: Helm"),
    ("heritage: Tiller", "heritage: Helm"),
)
# How an empty document between others shows in a diff.
_EMPTY_DOCUMENT_FOLLOWS = frozenset({"----", "---- null"})
_EMPTY_DOCUMENT_STARTS = frozenset({"-null", "---- null"})


def normalised(content: bytes) -> str | None:
    """Objects in one order and one form, or None where the content is not a stream of objects."""
    try:
        documents = yaml.load_all(content, name="")
        keyed = [(_identity(document), document) for document in documents]
        return yaml.dump_documents([d for _, d in sorted(keyed, key=lambda k: k[0])]).decode()
    except (CommodoreError, ValueError, RecursionError):
        # Besides broken syntax: dates that do not exist, and documents that hold themselves.
        return None


def is_noise(diff: Sequence[str], *, migration: str) -> bool:
    """Return whether a unified diff of two normalised texts shows nothing that counts."""
    if migration == KAPITAN_0_29_TO_0_30:
        # Judged by pairs of neighbours, as Commodore does: a lone line counts as noise too.
        return all(_is_noise_pair(first, second) for first, second in pairwise(diff[2:]))
    return not diff


def _identity(document: object) -> tuple[str, str, str]:
    if document is None:
        return "", "", ""
    if not isinstance(document, Mapping):
        raise _not_an_object()
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise _not_an_object()
    return _text(document, "kind"), _text(metadata, "namespace"), _text(metadata, "name")


def _text(mapping: Mapping[object, object], key: str) -> str:
    value = mapping.get(key)
    return "" if value is None else str(value)


def _not_an_object() -> ValueError:
    return ValueError("not an object")


def _is_noise_pair(first: str, second: str) -> bool:
    if any(line.startswith(" ") or line.rstrip().startswith("@@") for line in (first, second)):
        return True
    if first in _EMPTY_DOCUMENT_STARTS and second in _EMPTY_DOCUMENT_FOLLOWS:
        return True
    return (
        first.startswith("-")
        and second.startswith("+")
        and any(first.endswith(old) and second.endswith(new) for old, new in _MOVED_LABELS)
    )
