"""Take back an edit: byte for byte, or node by node where the file has changed elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files.exchange import content_now
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.dependencies.protection import edit_journal
from commodore_py.dependencies.protection.edit_journal import FileEdit, refuse_other_files
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.class_edits import ABSENT, Edit, edited, own_value
from commodore_py.inventory.paths import dotted

if TYPE_CHECKING:
    from commodore_py.config import WorkPaths
    from commodore_py.dependencies.protection.edit_journal import Entry


def undo(paths: WorkPaths, number: str = "") -> Entry:
    """Undo the last edit, or that with a number; one that was undone is made again."""
    edit_journal.recover(paths)
    found = [
        entry
        for entry in edit_journal.entries(paths)
        if (entry.id == number if number else not entry.undone)
    ]
    if not found:
        raise CommodoreError(
            f"there is no edit {number}" if number else "there is no edit to undo",
            where=str(paths.state / "edits"),
            hint="`commodore edit log` lists the edits of this working directory",
        )
    entry = found[-1]
    files = [_turned(paths, one if entry.undone else one.reverted, entry) for one in entry.files]
    return edit_journal.turn_back(paths, entry, files)


def _turned(paths: WorkPaths, wanted: FileEdit, entry: Entry) -> FileEdit:
    """The change of a file as it is now."""
    file = paths.root.resolve() / wanted.file
    refuse_other_files(paths, file)
    now = content_now(file)
    if now == wanted.before:
        return wanted
    if now is None:
        raise CommodoreError("the file is gone", where=str(file))
    text = now
    for node in wanted.nodes:
        text = _at_node(text, node, wanted, entry)
    return wanted._replace(before=now, after=text)


def _at_node(text: bytes, node: tuple[str | int, ...], wanted: FileEdit, entry: Entry) -> bytes:
    before, after, now = (
        own_value(one, node, name=wanted.file) for one in (wanted.before, wanted.after, text)
    )
    if now != before:
        raise CommodoreError(
            f"edit {entry.id} cannot be undone: {dotted(node)} was changed in the meantime",
            where=wanted.file,
            hint=f"it is {_shown(now)}, and was {_shown(after)} before the edit",
        )
    edit = Edit("unset", node) if after is ABSENT else Edit("set", node, after)
    return edited(text, edit, name=wanted.file)


def _shown(value: object) -> str:
    return "not set" if value is ABSENT else inline(value)
