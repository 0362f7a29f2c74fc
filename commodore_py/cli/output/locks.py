"""Results of `commodore lock …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.published import LockUse
    from commodore_py.workflows.lock.check import Finding
    from commodore_py.workflows.lock.resolve import Outcome, Step

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def change_lines(lock_changes: LockUse) -> Iterator[str]:
    """Render it for people."""
    for kind, sign in _SIGNS.items():
        for name in getattr(lock_changes, kind):
            yield f" {sign} {name}"


def created(outcome: Outcome) -> dict[str, Any]:
    """A new lock."""
    return {
        "schema": "lock-create/v1",
        "file": outcome.changes.file,
        "cluster": outcome.cluster,
        "written": outcome.changes.written,
        **{kind: getattr(outcome.changes, kind) for kind in _SIGNS},
        "notices": [notice.message for notice in outcome.notices],
    }


def step(lock_step: Step) -> dict[str, Any]:
    """The update of one input."""
    return {
        "name": lock_step.name,
        "before": lock_step.before,
        "after": lock_step.after,
        **{kind: getattr(lock_step.changes, kind) for kind in _SIGNS},
        "error": str(lock_step.error) if lock_step.error is not None else None,
    }


def finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Render the state of servers, for people."""
    for finding in findings:
        details = f": {finding.details}" if finding.details else ""
        yield f"{finding.state:<9} {finding.name}{details}"
