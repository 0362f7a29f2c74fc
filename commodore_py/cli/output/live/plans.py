"""Results of `commodore live diff` and `live apply`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import streams
from commodore_py.cli.output.differences import as_json
from commodore_py.workflows.live.planning import AFTER_FAILURE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.live.compare import LiveDiff
    from commodore_py.workflows.live.execution import Applied
    from commodore_py.workflows.live.planning import Action, Plan, Step

_COLOURS = {"create": "green", "change": "yellow", "delete": "red", "hook": "cyan"}
_WIDTH = len("create")
_NOT_SHOWN = "keep"
_RULES = {
    "references": "secret references, compared with nothing",
    "ignored": "ignoreDifferences",
}


def diff(live_diff: LiveDiff, plan: Plan) -> dict[str, Any]:
    """Render differences, how each object was compared, and the steps of a sync."""
    shown = as_json.object_diff(live_diff.diff)
    return {
        "schema": "live-diff/v1",
        **{name: shown[name] for name in ("changed", "summary", "objects", "common")},
        "compared": [
            {
                **asdict(id_),
                "mode": prediction.mode,
                "schema": prediction.has_schema,
                "notice": prediction.notice,
            }
            for id_, prediction in live_diff.compared
        ],
        "refused": [{**asdict(id_), "why": why} for id_, why in live_diff.refused.items()],
        "hidden": dict(live_diff.hidden),
        "plan": content(plan),
    }


def diff_asides(live_diff: LiveDiff, *, quiet: bool) -> Iterator[str]:
    """Notes about the comparison."""
    for rule, count in sorted(live_diff.hidden.items()):
        yield f"not shown: {count} ({_RULES.get(rule, rule)})"
    two_way = sum(prediction.mode == "two-way" for _, prediction in live_diff.compared)
    if two_way and quiet:
        yield f"{two_way} objects were compared two-way: fields that are gone are not seen"
    if not quiet:
        for id_, prediction in live_diff.compared:
            notice = f": {prediction.notice}" if prediction.notice else ""
            yield f"{id_}: {prediction.mode}{notice}"


def content(plan: Plan) -> dict[str, Any]:
    """The steps of all applications."""
    return {
        "schema": "live-plan/v1",
        "cluster": plan.cluster,
        "uid": plan.uid or None,
        "commit": plan.commit or None,
        "digest": plan.digest,
        "steps": [_step(step) for step in plan.steps],
        "versions": dict(plan.versions),
        "unseen": dict(plan.unseen),
    }


def lines(plan: Plan) -> Iterator[str]:
    """Render it for people: what changes, and what it waits for."""
    for step in plan.steps:
        changing = [action for action in step.actions if action.what != _NOT_SHOWN]
        if not changing:
            continue
        name = step.application or "-"
        head = f"{name}: {step.phase}, wave {step.wave}"
        if step.phase == AFTER_FAILURE:
            head += ", only after a failure"
        yield streams.styled(head, bold=True)
        for action in changing:
            yield from _action_lines(action)
        if step.awaited:
            yield "  then wait until all are healthy"
    counts = Counter(action.what for action in plan.actions)
    words = [f"{count} {what}" for what, count in sorted(counts.items())]
    yield f"{', '.join(words) or 'nothing to do'}"


def applied(result: Applied, plan: Plan) -> dict[str, Any]:
    """Render what was done."""
    return {
        "schema": "live-apply/v1",
        "plan": plan.digest,
        "done": [{"what": what, **asdict(id_)} for what, id_ in result.done],
        "skipped": result.skipped,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "application": step.application,
        "phase": step.phase,
        "wave": step.wave,
        "awaited": step.awaited,
        "actions": [
            {
                "what": action.what,
                **asdict(action.id),
                "grade": action.grade,
                "reason": action.reason,
                "refused": action.refused or None,
                "references": list(action.references),
            }
            for action in step.actions
        ],
    }


def _action_lines(action: Action) -> Iterator[str]:
    word = streams.styled(action.what.ljust(_WIDTH), fg=_COLOURS.get(action.what))
    grade = f"  {action.grade}" if action.grade != "none" else ""
    reason = f": {action.reason}" if action.reason else ""
    yield f"  {word}  {action.id}{grade}{reason}"
    if action.refused:
        yield f"          {action.refused}"
    if action.references:
        paths = ", ".join(action.references)
        yield f"          secret references: {paths}"
