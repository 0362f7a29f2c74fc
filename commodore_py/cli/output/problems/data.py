"""Problems for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commodore_py.model.problem import Place, Problem

    from .outcome import Outcome


def document(outcome: Outcome) -> dict[str, Any]:
    """The result of a command that finds problems."""
    verdict = outcome.verdict
    return {
        "schema": "problems/v1",
        "command": outcome.command,
        "about": outcome.about,
        "objects": outcome.objects,
        "checks": [one._asdict() for one in outcome.checks],
        "failed": bool(verdict.failing),
        "problems": [as_data(one) for one in verdict.problems],
        "ignored": [
            {**as_data(one.problem), "reason": one.reason or None} for one in verdict.ignored
        ],
    }


def as_data(problem: Problem) -> dict[str, Any]:
    """One problem."""
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "remedy": problem.remedy,
        "options": list(problem.options),
        "place": _place(problem.place),
        "where": problem.where,
        "related": [_place(one) for one in problem.related],
        "subject": problem.subject,
        "fingerprint": problem.fingerprint,
    }


def _place(place: Place) -> dict[str, Any]:
    return {key: value for key, value in place._asdict().items() if value}
