"""Render changes by others in a cluster, for `commodore live status`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.cli.output.differences import words
from commodore_py.cli.output.differences.as_json import plain
from commodore_py.manifests.paths import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.desired.managed import Manager
    from commodore_py.workflows.live.compare import DriftReport, FieldDrift


def content(report: DriftReport) -> list[dict[str, Any]]:
    """Render drift for programs."""
    return [
        {
            **asdict(object_drift.id),
            "application": object_drift.application,
            "missing": object_drift.is_missing,
            "fields": [_field(each) for each in object_drift.fields],
        }
        for object_drift in report.objects
    ]


def lines(report: DriftReport) -> Iterator[str]:
    """Render drift for people."""
    for object_drift in report.objects:
        what = "it is not there" if object_drift.is_missing else "changed since the last sync"
        yield escaping.one_line(f"{object_drift.id}: {what}")
        for each in object_drift.fields:
            yield f"  {escaping.one_line(_words(each))}"
            if each.cause:
                yield f"    {escaping.one_line(each.cause)}"
            for manager in each.managers:
                yield f"    {escaping.one_line(_manager(manager))}"


def asides(report: DriftReport) -> Iterator[str]:
    """Applications that were not compared."""
    names: dict[str, list[str]] = {}
    for name, why in report.left_out.items():
        names.setdefault(why, []).append(name or "the catalog")
    for why, some in names.items():
        yield f"not compared with the last sync: {', '.join(some)}: {why}"


def _words(drift: FieldDrift) -> str:
    field, path = drift.field, written(drift.field.path)
    match field.happened:
        case "added":
            return f"{path} is missing; it was {words.value(field.new)}"
        case "removed":
            return f"{path} is {words.value(field.old)}; it was not there"
        case "reordered":
            return f"{path} has another order"
    return f"{path} is {words.value(field.old)}; it was {words.value(field.new)}"


def _manager(manager: Manager) -> str:
    how = (
        f"{manager.operation} of {manager.subresource}"
        if manager.subresource
        else manager.operation
    )
    return f"by {manager.name} ({how})" + (f", not after {manager.time}" if manager.time else "")


def _field(drift: FieldDrift) -> dict[str, Any]:
    field = drift.field
    return {
        "path": written(field.path),
        "change": {"added": "removed", "removed": "added"}.get(field.happened, field.happened),
        "synced": plain(field.new),
        "live": plain(field.old),
        "cause": drift.cause or None,
        "managers": [
            {
                "manager": manager.name,
                "operation": manager.operation,
                "subresource": manager.subresource or None,
                "not_after": manager.time or None,
            }
            for manager in drift.managers
        ],
    }
