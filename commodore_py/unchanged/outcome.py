"""How a run ended, as text that can be kept, and back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from commodore_py.model.catalog import (
    BuildRecord,
    Change,
    DependencyRecord,
    DiffLine,
    FileChange,
    Notice,
)
from commodore_py.model.fields import field_values
from commodore_py.model.stages import Published

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(published: Published, lines: tuple[DiffLine, ...] | None) -> dict[str, Any]:
    """What is needed to show a run once more, values of the record by `field_values`.

    After a push, nothing is left to change.
    """
    change = Change() if published.commit else published.change
    record = field_values(published.record)
    del record["time"]
    return {
        "files": [
            [one.kind, one.path, one.old_path, one.old_mode, one.new_mode] for one in change.files
        ],
        "lines": [[line.text, line.colour] for line in lines] if change and lines else None,
        "ignored": list(change.ignored),
        "record": record,
        "notices": [field_values(notice) for notice in published.notices],
    }


def published_of(kept: Mapping[str, Any]) -> Published:
    """The result of a run that had nothing to do; ValueError and its like if that is no result."""
    lines = kept["lines"]
    change = Change(
        tuple(
            FileChange(kind, path, old_path, old_mode=old_mode, new_mode=new_mode)
            for kind, path, old_path, old_mode, new_mode in kept["files"]
        ),
        ignored=tuple(kept["ignored"]),
        lines=None if lines is None else tuple(DiffLine(*line) for line in lines),
    )
    record = dict(kept["record"])
    for name in ("global_config", "tenant_config"):
        record[name] = DependencyRecord(**record[name])
    for name in ("instances", "packages"):
        record[name] = tuple(DependencyRecord(**one) for one in record[name])
    return Published(
        change,
        BuildRecord(time=datetime.now().astimezone(), **record),
        notices=tuple(Notice(**notice) for notice in kept["notices"]),
    )
