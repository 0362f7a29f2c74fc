"""Problems as annotations of GitHub's runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.cli.output.log import annotation

from .outcome import details

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .outcome import Outcome

_LEVELS = {"fatal": "error", "error": "error", "warning": "warning", "info": "notice"}


def lines(outcome: Outcome) -> Iterator[str]:
    """One annotation for each problem, and the summary."""
    for problem in outcome.verdict.problems:
        place = problem.place
        words = [f"{problem.message} [{problem.code}]", *details(problem)]
        properties = {"file": place.file, "line": str(place.line or "")}
        yield annotation(_LEVELS[problem.severity], "\n".join(words), properties)
    yield annotation("notice", f"Found {outcome.summary()}", {})
