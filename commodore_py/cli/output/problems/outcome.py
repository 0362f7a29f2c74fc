"""Output of commands about problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problem import Problem
    from commodore_py.model.verdict import CheckRun, Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict, and what it is about."""

    verdict: Verdict
    command: str
    about: str = ""
    """The cluster, or the folder, that was examined."""
    objects: int | None = None
    checks: tuple[CheckRun, ...] = ()

    def summary(self) -> str:
        """Summarise problems in a line."""
        return self.verdict.summary(self.objects)


def details(problem: Problem) -> Iterator[str]:
    """Where a problem is, what is related to it, and what to do."""
    yield from problem.where.splitlines()
    for place in problem.related:
        yield from str(place).splitlines()
    if problem.options:
        yield f"possible: {', '.join(problem.options)}"
    if problem.remedy:
        yield f"hint: {problem.remedy}"
