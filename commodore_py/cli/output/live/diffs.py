"""Results of `commodore live diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.cli.output.differences import as_json
from commodore_py.cli.output.ids import identity

from . import plans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.live.compare import LiveDiff
    from commodore_py.workflows.live.planning import Plan

_RULES = {
    "references": "secret references, compared with nothing",
    "ignored": "ignoreDifferences",
}


def content(found: LiveDiff, plan: Plan) -> dict[str, Any]:
    """What differs, how each object was compared, and the steps of a sync."""
    diff = as_json.object_diff(found.diff)
    return {
        "schema": "live-diff/v1",
        **{name: diff[name] for name in ("changed", "summary", "objects", "common")},
        "compared": [
            {
                **identity(one.id),
                "mode": one.mode,
                "schema": one.has_schema,
                "notice": one.notice,
            }
            for one in found.compared
        ],
        "refused": [{**identity(id_), "why": why} for id_, why in found.refused.items()],
        "hidden": dict(found.hidden),
        "plan": plans.content(plan),
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
