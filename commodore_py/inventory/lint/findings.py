"""Problems of files (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.codes import LINT
from commodore_py.model.problems.severity import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model.problems.severity import Severity

RULES = LINT


def finding(rule: str, message: str, file: Path, line: int = 0, *, hint: str = "") -> Problem:
    """One place where a rule was broken; line zero when it is about the file as a whole."""
    return Problem.at(Place(str(file), line), rule, message, remedy=hint)


def at_least(found: Iterable[Problem], threshold: Severity) -> bool:
    """Whether any of the problems is as bad as that, or worse."""
    bad = SEVERITIES[: SEVERITIES.index(threshold) + 1]
    return any(problem.severity in bad for problem in found)
