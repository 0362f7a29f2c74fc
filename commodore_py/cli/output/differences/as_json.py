"""Changes of objects for programs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.paths import written
from commodore_py.model.difference import GRADES

from .words import WHATS

if TYPE_CHECKING:
    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.fields import FieldChange


def object_diff(diff: ObjectDiff) -> dict[str, Any]:
    """Everything, nothing folded; what objects have in common is there once more."""
    whats = Counter(change.what for change in diff.objects)
    grades = Counter(change.grade for change in diff.objects)
    return {
        "changed": bool(diff),
        "summary": {
            "objects": {what: whats[what] for what in WHATS},
            "grades": {grade: grades[grade] for grade in GRADES},
            "files": len(diff.files),
            "quiet_files": diff.quiet,
        },
        "objects": [change_as_data(change) for change in diff.objects],
        "common": [
            {**_field(fold.field, fold.path), "objects": [asdict(id_) for id_ in fold.objects]}
            for fold in diff.folds
        ],
        "files": [asdict(file) for file in diff.files],
        "hidden": [asdict(hidden) for hidden in diff.hidden],
    }


def change_as_data(change: ObjectChange) -> dict[str, Any]:
    """The changes of an object."""
    return {
        "change": change.what,
        "grade": change.grade,
        "reason": change.reason,
        "object": asdict(change.id),
        "old_name": change.old.id.name if change.old else None,
        "file": change.file,
        "old_file": change.old.file if change.old else None,
        "fields": [_field(field, written(field.path)) for field in change.fields],
    }


def _field(field: FieldChange, path: str) -> dict[str, Any]:
    return {
        "path": path,
        "change": field.happened,
        "old": plain(field.old),
        "new": plain(field.new),
        "grade": field.grade,
        "reason": field.reason,
    }


def plain(value: object) -> Any:
    """A value as JSON has it: what YAML knows beyond that becomes text."""
    return json.loads(json.dumps(_keys(value), default=str))


def _keys(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _keys(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_keys(below) for below in value]
    # JSON has neither NaN nor infinity.
    return str(value) if isinstance(value, float) and not isfinite(value) else value
