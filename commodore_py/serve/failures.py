"""Errors, and the one place that decides which HTTP status each of them has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, UsageError, notes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE_AND_LINE = r"(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?"
_REFUSED = 422
_STATUSES = {
    "clusters/not-compiled": 409,
    "clusters/other-changes": 409,
    "clusters/unknown": 404,
    "edit/changed": 409,
    "edit/key-taken": 409,
    "edit/moved": 409,
    "edit/no-such-item": 404,
    "parameters/not-set": 404,
    "run/busy": 409,
    "run/crashed": 500,
    "run/lost": 500,
    "run/queue-full": 429,
}


class NotCompiled(CommodoreError):
    """A cluster without a working directory."""

    problem_code = "clusters/not-compiled"


class OtherChanges(CommodoreError):
    """A push would publish other changes than the caller has seen."""

    problem_code = "clusters/other-changes"


class UnknownCluster(CommodoreError):
    """There is no such cluster."""

    problem_code = "clusters/unknown"


class QueueFull(CommodoreError):
    """More work is waiting than the daemon accepts."""

    problem_code = "run/queue-full"


class Lost(CommodoreError):
    """The process of some work ended without a result."""

    problem_code = "run/lost"


class Crashed(CommodoreError):
    """An error that nothing is written for."""

    problem_code = "run/crashed"


class Refusal(Exception):
    """A request that ends with a status; of the access to the daemon, or of HTTP itself."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def status_of(error: CommodoreError) -> int:
    """The status of an error; what is refused for its content is 422."""
    if isinstance(error, UsageError):
        return 400
    return max(
        (_STATUSES.get(one.problem_code, _REFUSED) for one in (error, *error.parts)), key=_weight
    )


def _weight(status: int) -> tuple[bool, int]:
    """Any status is more than the usual one."""
    return status != _REFUSED, status


def as_data(error: CommodoreError) -> dict[str, Any]:
    """An error with all of its reasons, each with its place and code."""
    content = {
        "schema": "error/v1",
        "status": status_of(error),
        "message": str(error),
        "reasons": [_reason(one) for one in error.parts],
    }
    masked: dict[str, Any] = REDACTOR.masked_value(content)
    return masked


def refusal_as_data(refusal: Refusal) -> dict[str, Any]:
    """The same of a refusal."""
    return {
        "schema": "error/v1",
        "status": refusal.status,
        "message": str(refusal),
        "reasons": [],
    }


def _reason(error: CommodoreError) -> dict[str, Any]:
    where = error.where
    place = re.match(_FILE_AND_LINE, where)
    return {
        "code": error.problem_code or "run/refused",
        "message": REDACTOR.message(str(error)),
        "where": REDACTOR.message(where) or None,
        "place": {"file": place["file"], "line": int(place["line"])} if place else None,
        "hint": REDACTOR.message(error.hint) or None,
        "notes": list(notes_of(error)),
    }
