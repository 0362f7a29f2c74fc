"""Problems for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from commodore_py.cli.output import streams

from .outcome import details

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problems.severity import Severity

    from .outcome import Outcome

MOST_OF_A_CODE = 50
_COLOURS: dict[Severity, str] = {
    "error": "red",
    "warning": "yellow",
    "info": "cyan",
}


def lines(outcome: Outcome, *, verbose: bool) -> Iterator[str]:
    """Every problem, the worst first; infos are counted only, unless it is verbose."""
    shown: Counter[str] = Counter()
    for problem in outcome.verdict.problems:
        if problem.severity == "info" and not verbose:
            continue
        shown[problem.code] += 1
        if shown[problem.code] > MOST_OF_A_CODE:
            continue
        word = streams.styled(f"{problem.severity}:", fg=_COLOURS[problem.severity], bold=True)
        code = f" [{problem.code}]" if problem.code else ""
        yield f"{word} {streams.shown(problem.message, message=True)}{code}"
        yield from (f"  {streams.shown(line, message=True)}" for line in details(problem))
    for code, count in shown.items():
        if count > MOST_OF_A_CODE:
            yield f"and {count - MOST_OF_A_CODE} more of {code}"
    for check in outcome.checks:
        if check.outcome in ("skipped", "unchecked"):
            yield f"{check.outcome}: {check.name}: {streams.shown(check.reason, message=True)}"
    yield streams.styled(f"Found {outcome.summary()}", bold=True)
