"""Problems of a run: those that count, and those that do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from .problems.codes import SEVERITIES

if TYPE_CHECKING:
    from .problem import Problem
    from .problems.codes import Severity


Outcome: TypeAlias = Literal["passed", "problems", "skipped", "unchecked"]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A problem that does not count, and why."""

    problem: Problem
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Problems of a run, the worst first."""

    problems: tuple[Problem, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    failing: tuple[Problem, ...] = ()
    """Problems that fail the run."""

    def count(self, severity: Severity) -> int:
        """How many problems of a severity there are."""
        return sum(problem.severity == severity for problem in self.problems)

    def summary(self, objects: int | None = None) -> str:
        """Summarise it in a line."""
        counts = [
            f"{number} {severity}{'s' * (number != 1)}"
            for severity in SEVERITIES
            if (number := self.count(severity))
        ]
        text = ", ".join(counts) or "no problems"
        if objects is not None:
            text += f" in {objects} object{'s' * (objects != 1)}"
        return f"{text} ({len(self.ignored)} ignored)" if self.ignored else text


class CheckRun(NamedTuple):
    """How a check ended."""

    name: str
    outcome: Outcome
    reason: str = ""
    """Why it did not examine everything."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Problems of a catalog that checks have found."""

    objects: int
    runs: tuple[CheckRun, ...] = ()
    problems: tuple[Problem, ...] = ()
