"""Edits that were written, and the way back."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths

_MOST = 100
_SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Entry:
    """An edit of a file."""

    id: str
    time: str
    operation: str
    """The operation and the path, without values."""
    file: str
    """Relative to the working directory."""
    before: str
    after: str
    """Both in base 64."""
    undone: bool = False


def write(paths: WorkPaths, operation: str, file: Path, before: bytes, after: bytes) -> Entry:
    """Write a file that still has its old content, and keep what is needed to undo that."""
    refuse_other_files(paths, file)
    known = [int(entry.id) for entry in entries(paths)]
    entry = Entry(
        id=str(max(known, default=0) + 1),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        operation=operation,
        file=str(file.relative_to(paths.root.resolve())),
        before=base64.b64encode(before).decode(),
        after=base64.b64encode(after).decode(),
    )
    _note(paths, entry)
    try:
        _replace(file, before, after)
    except BaseException:
        _file(paths, entry.id).unlink(missing_ok=True)
        raise
    for old in sorted(known)[: max(0, len(known) + 1 - _MOST)]:
        _file(paths, str(old)).unlink(missing_ok=True)
    return entry


def undo(paths: WorkPaths, number: str = "") -> Entry:
    """Give a file the bytes that it had before an edit; the last one, or that with a number."""
    found = [
        entry for entry in entries(paths) if (entry.id == number if number else not entry.undone)
    ]
    if not found:
        raise CommodoreError(
            f"there is no edit {number}" if number else "there is no edit to undo",
            where=str(_folder(paths)),
            hint="`commodore edit log` lists the edits of this working directory",
        )
    entry = found[-1]
    old, new = base64.b64decode(entry.before), base64.b64decode(entry.after)
    if entry.undone:
        old, new = new, old
    file = paths.root.resolve() / entry.file
    refuse_other_files(paths, file)
    _replace(file, new, old)
    changed = Entry(**{**asdict(entry), "undone": not entry.undone})
    _note(paths, changed)
    return changed


def entries(paths: WorkPaths) -> list[Entry]:
    """The edits of a working directory, the oldest first."""
    files = sorted(_folder(paths).glob("*.json"))
    found = [entry for file in files if (entry := _read(file)) is not None]
    return sorted(found, key=lambda entry: int(entry.id))


def refuse_other_files(paths: WorkPaths, file: Path) -> None:
    """Refuse whatever is not a class file of the configuration, by its own name.

    A link that a repository brings, or a journal that came with a folder, could name any file.
    """
    classes = paths.root.resolve() / paths.classes.relative_to(paths.root)
    below = file.relative_to(classes).parts if file.is_relative_to(classes) else ()
    own = not {"..", ".git"} & {part.lower() for part in below} and file.suffix in _SUFFIXES
    if not below or not own or file.resolve() != file:
        raise CommodoreError(
            "not a class file of the global or the tenant configuration",
            where=str(file),
            hint="edits are written below inventory/classes only, and not through links",
        )


def _read(file: Path) -> Entry | None:
    """An entry; None if it cannot be read, as if it were not there."""
    try:
        content = json.loads(content_of(file))
        entry = Entry(**content)
        base64.b64decode(entry.before, validate=True)
        base64.b64decode(entry.after, validate=True)
    except (CommodoreError, ValueError, TypeError):
        return None
    texts = (entry.id, entry.time, entry.operation, entry.file, entry.before, entry.after)
    valid = all(isinstance(text, str) for text in texts) and isinstance(entry.undone, bool)
    return entry if valid and entry.id == file.stem and entry.id.isdecimal() else None


def _replace(file: Path, old: bytes, new: bytes) -> None:
    found = content_of(file) if file.is_file() else None
    if found != old:
        raise CommodoreError(
            "the file was changed in the meantime; it is left as it is",
            where=str(file),
            hint="run the command again, or edit the file",
        )
    write_if_changed(file, new)


def _note(paths: WorkPaths, entry: Entry) -> None:
    _folder(paths).mkdir(parents=True, exist_ok=True)
    write_if_changed(_file(paths, entry.id), json.dumps(asdict(entry)).encode(), private=True)


def _folder(paths: WorkPaths) -> Path:
    return paths.state / "edits"


def _file(paths: WorkPaths, number: str) -> Path:
    return _folder(paths) / f"{number}.json"
