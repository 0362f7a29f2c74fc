"""Edits of class files that were written, the way back, and the end of those that were killed."""

from __future__ import annotations

import base64
import json
import logging
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.files.exchange import (
    Changed,
    content_now,
    put_back,
    refuse_changed,
    swap_in,
    sync_folder,
    write_beside,
)
from commodore_py.errors import CommodoreError

from .journal import prepare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.config import WorkPaths

    Node: TypeAlias = tuple[str | int, ...]

log = logging.getLogger(__name__)

_MOST = 100
_SUFFIXES = (".yml", ".yaml")


class FileEdit(NamedTuple):
    """The content of a file before an edit and after it."""

    file: str
    """Relative to the working directory."""
    before: bytes
    after: bytes
    nodes: tuple[Node, ...] = ()
    """What was edited in it."""

    @property
    def reverted(self) -> FileEdit:
        """The edit that takes this one back."""
        return self._replace(before=self.after, after=self.before)


class Entry(NamedTuple):
    """An edit of one file or several."""

    id: str
    time: str
    operation: str
    """The operations and their paths, without values."""
    files: tuple[FileEdit, ...]
    undone: bool = False
    commit: str = ""
    """The commit that it was written into, if it was."""
    step: str = ""
    """`write` or `turn`, from before the first file is replaced until after the last one."""
    pending: tuple[FileEdit, ...] = ()
    """What that step does."""

    @property
    def completed(self) -> Entry:
        """The entry once its step is done."""
        return self._replace(undone=self.undone ^ (self.step == "turn"), step="", pending=())


def write(paths: WorkPaths, operation: str, files: Sequence[FileEdit]) -> Entry:
    """Replace files that still have their old contents: all of them, or none."""
    known = [int(entry.id) for entry in entries(paths)]
    entry = Entry(
        str(max(known, default=0) + 1),
        datetime.now(UTC).isoformat(timespec="seconds"),
        operation,
        tuple(files),
    )
    entry = _carried_out(paths, entry, "write", files)
    for old in sorted(known)[: max(0, len(known) + 1 - _MOST)]:
        _file(paths, str(old)).unlink(missing_ok=True)
    return entry


def turn_back(paths: WorkPaths, entry: Entry, files: Sequence[FileEdit]) -> Entry:
    """Undo an edit by other edits of its files, or make one again that was undone."""
    return _carried_out(paths, entry, "turn", files)


def restore(paths: WorkPaths, entry: Entry, now: Mapping[str, bytes]) -> None:
    """Give the files of an edit that was just written their old contents, without a trace.

    `now` are those that have another content than the edit gave them.
    """
    files = [one._replace(after=now.get(one.file, one.after)).reverted for one in entry.files]
    _carried_out(paths, entry, "turn", files)
    _file(paths, entry.id).unlink(missing_ok=True)


def note(paths: WorkPaths, entry: Entry) -> None:
    """Keep an entry, on disk when this returns."""
    folder = _folder(paths)
    prepare(paths.state)
    folder.mkdir(parents=True, exist_ok=True)
    lists = {"files": _stored(entry.files), "pending": _stored(entry.pending)}
    content = json.dumps({**entry._asdict(), **lists})
    write_if_changed(_file(paths, entry.id), content.encode(), private=True)
    sync_folder(folder)


def entries(paths: WorkPaths) -> list[Entry]:
    """The edits of a working directory, the oldest first."""
    files = sorted(_folder(paths).glob("*.json"))
    found = [entry for file in files if (entry := _read(file)) is not None]
    return sorted(found, key=lambda entry: int(entry.id))


def recover(paths: WorkPaths) -> None:
    """Complete or take back an edit that was killed: all of its files, or none."""
    for entry in entries(paths):
        if entry.step:
            try:
                _recover(paths, entry)
            except CommodoreError as error:  # it names other files, or they are gone
                log.warning("omitting the interrupted edit %s: %s", entry.id, error)
                _take_back_step(paths, entry)


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


def _carried_out(paths: WorkPaths, entry: Entry, step: str, files: Sequence[FileEdit]) -> Entry:
    """Replace the files; the entry keeps its step only if the process is killed meanwhile."""
    places = [paths.root.resolve() / one.file for one in files]
    for place in places:
        refuse_other_files(paths, place)
    written: list[tuple[Path, FileEdit]] = []
    entry = entry._replace(step=step, pending=tuple(files))
    note(paths, entry)
    try:
        for number, (place, one) in enumerate(zip(places, files, strict=True)):
            refuse_changed(place, one.before)
            write_beside(place, _beside(place, entry, number), one.after)
        for number, (place, one) in enumerate(zip(places, files, strict=True)):
            swap_in(place, _beside(place, entry, number), one.before)
            written.append((place, one))
    except BaseException:
        for number, place in enumerate(places):
            with suppress(OSError):
                _beside(place, entry, number).unlink(missing_ok=True)
        for place, one in written:
            with suppress(Changed):  # an editor has saved it: what is newest stays
                _replace(place, one.reverted)
        _take_back_step(paths, entry)
        raise
    for folder in {place.parent for place in places}:
        sync_folder(folder)
    note(paths, entry.completed)
    return entry.completed


def _take_back_step(paths: WorkPaths, entry: Entry) -> None:
    if entry.step == "write":
        _file(paths, entry.id).unlink(missing_ok=True)
    else:
        note(paths, entry._replace(step="", pending=()))


def _recover(paths: WorkPaths, entry: Entry) -> None:
    root = paths.root.resolve()
    edited: list[tuple[Path, FileEdit]] = []
    by_hand: list[Path] = []
    for number, one in enumerate(entry.pending):
        place = root / one.file
        refuse_other_files(paths, place)
        edited.append((place, one))
        beside = _beside(place, entry, number)
        swapped_out = content_now(beside)
        if content_now(place) == one.after and swapped_out not in (None, one.before, one.after):
            put_back(place, beside, one.after)  # an editor saved it in the moment of the swap
        beside.unlink(missing_ok=True)
        if content_now(place) not in (one.before, one.after):
            by_hand.append(place)
    for place, one in edited:
        now = content_now(place)
        if by_hand and now == one.after:
            _replace(place, one.reverted)
        elif not by_hand and now == one.before:
            _replace(place, one)
    if by_hand:
        names = ", ".join(str(place) for place in by_hand)
        log.warning("taking back the interrupted edit %s: %s was changed", entry.id, names)
        _take_back_step(paths, entry)
    else:
        log.warning("completed the interrupted edit %s: %s", entry.id, entry.operation)
        note(paths, entry.completed)


def _replace(place: Path, one: FileEdit) -> None:
    beside = place.with_name(f".commodore-edit-{one.file.count('/')}.new")
    write_beside(place, beside, one.after)
    swap_in(place, beside, one.before)


def _beside(place: Path, entry: Entry, number: int) -> Path:
    """Where the new content of a file is written, and the old one is after the swap."""
    return place.with_name(f".commodore-edit-{entry.id}-{number}.new")


def _read(file: Path) -> Entry | None:
    """An entry; None if it cannot be read, as if it were not there."""
    text = content_now(file)
    try:
        content = json.loads(text or b"")
        lists = {key: tuple(map(_file_edit, content[key])) for key in ("files", "pending")}
        entry = Entry(**{**content, **lists})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    texts = all(isinstance(value, str) for value in (*entry[:3], entry.commit, entry.step))
    valid = texts and bool(entry.files)
    return entry if valid and entry.id == file.stem and entry.id.isdecimal() else None


def _stored(files: Sequence[FileEdit]) -> list[dict[str, Any]]:
    return [
        {
            "file": one.file,
            "before": base64.b64encode(one.before).decode(),
            "after": base64.b64encode(one.after).decode(),
            "nodes": one.nodes,
        }
        for one in files
    ]


def _file_edit(stored: dict[str, Any]) -> FileEdit:
    name, before, after = (stored[key] for key in ("file", "before", "after"))
    if not isinstance(name, str) or Path(name).is_absolute():
        raise ValueError("not a file of a working directory")
    old, new = (base64.b64decode(one, validate=True) for one in (before, after))
    return FileEdit(name, old, new, tuple(_nodes(stored["nodes"])))


def _nodes(stored: Iterable[list[object]]) -> Iterator[Node]:
    for path in stored:
        if not all(isinstance(part, str | int) for part in path):
            raise ValueError("not a path of a parameter")
        yield tuple(path)  # type: ignore[arg-type] # it was just looked at


def _folder(paths: WorkPaths) -> Path:
    return paths.state / "edits"


def _file(paths: WorkPaths, number: str) -> Path:
    return _folder(paths) / f"{number}.json"
