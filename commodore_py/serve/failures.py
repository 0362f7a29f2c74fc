"""Errors as responses: the HTTP status of each, and all of its reasons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, UsageError, notes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    "edit/unknown-name": 404,
    "parameters/not-set": 404,
    "run/busy": 409,
    "run/crashed": 500,
    "run/lost": 500,
    "run/queue-full": 429,
}


def coded(code: str, message: str, *, where: str = "", hint: str = "") -> CommodoreError:
    """An error of the daemon, with the code that decides its status."""
    error = CommodoreError(message, where=where, hint=hint)
    error.problem_code = code
    return error


def as_data(error: CommodoreError) -> dict[str, Any]:
    """An error with all of its reasons, each with its place and code."""
    statuses = {_STATUSES.get(part.problem_code, _REFUSED) for part in (error, *error.parts)}
    status = 400 if isinstance(error, UsageError) else max(statuses - {_REFUSED}, default=_REFUSED)
    content = failure(status, str(error), map(_reason, error.parts))
    masked: dict[str, Any] = REDACTOR.masked_value(content)
    return masked


def failure(status: int, message: str, reasons: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """The content of a response that is not successful."""
    return {
        "schema": "error/v1",
        "status": status,
        "message": message,
        "reasons": list(reasons),
    }


def _reason(error: CommodoreError) -> dict[str, Any]:
    place = re.match(_FILE_AND_LINE, error.where)
    return {
        "code": error.problem_code or "run/refused",
        "message": REDACTOR.message(str(error)),
        "where": REDACTOR.message(error.where) or None,
        "place": {"file": place["file"], "line": int(place["line"])} if place else None,
        "hint": REDACTOR.message(error.hint) or None,
        "notes": list(notes_of(error)),
    }
