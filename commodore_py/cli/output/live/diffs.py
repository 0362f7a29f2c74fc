"""Results of `commodore live diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.cli.output.differences import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.live.diff import LiveDiff

_RULES = {
    "references": "secret references, compared with nothing",
    "rebase": "fields that the cluster sets",
    "ignored": "ignoreDifferences",
}


def content(found: LiveDiff) -> dict[str, Any]:
    """What differs, and how each object was compared."""
    diff = as_json.object_diff(found.diff)
    return {
        "schema": "live-diff/v1",
        **{name: diff[name] for name in ("changed", "summary", "objects", "common")},
        "compared": [
            {
                "group": one.id.group,
                "kind": one.id.kind,
                "namespace": one.id.namespace,
                "name": one.id.name,
                "mode": one.mode,
                "schema": one.has_schema,
                "notice": one.notice,
            }
            for one in found.compared
        ],
        "refused": [
            {
                "group": id_.group,
                "kind": id_.kind,
                "namespace": id_.namespace,
                "name": id_.name,
                "why": why,
            }
            for id_, why in found.refused.items()
        ],
        "hidden": dict(found.hidden),
    }


def asides(found: LiveDiff, *, quiet: bool) -> Iterator[str]:
    """What a reader must know about the comparison."""
    for rule, count in sorted(found.hidden.items()):
        yield f"not shown: {count} ({_RULES.get(rule, rule)})"
    unseen = [one for one in found.compared if one.mode == "two-way"]
    if unseen and quiet:
        yield f"{len(unseen)} objects were compared two-way: fields that are gone are not seen"
    if not quiet:
        for one in found.compared:
            yield f"{one.id}: {one.mode}{': ' if one.notice else ''}{one.notice}"
