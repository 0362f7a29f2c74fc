"""What a command about problems has to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.cli.output.differences.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problem import Problem
    from commodore_py.model.verdict import CheckRun, Verdict

_WORDS = {"error": "error", "warning": "warning", "info": "info"}


class Outcome(NamedTuple):
    """A verdict, and what it is about."""

    verdict: Verdict
    command: str
    about: str = ""
    """The cluster, or the folder, that was examined."""
    objects: int | None = None
    checks: tuple[CheckRun, ...] = ()

    def summary(self) -> str:
        """What was found, in a line."""
        counts = [
            counted(number, word)
            for severity, word in _WORDS.items()
            if (number := sum(one.severity == severity for one in self.verdict.problems))
        ]
        found = ", ".join(counts) or "no problems"
        ignored = len(self.verdict.ignored)
        of = "" if self.objects is None else f" in {counted(self.objects, 'object')}"
        return f"{found}{of} ({ignored} ignored)" if ignored else f"{found}{of}"


def details(problem: Problem) -> Iterator[str]:
    """Where a problem is, what is related to it, and what to do."""
    yield from problem.where.splitlines()
    for place in problem.related:
        yield from str(place).splitlines()
    if problem.options:
        yield f"possible: {', '.join(problem.options)}"
    if problem.remedy:
        yield f"hint: {problem.remedy}"
