"""Problems as Markdown, for a comment on a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli.output.differences.as_markdown import code as as_code
from commodore_py.cli.output.differences.words import shown

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem

    from .outcome import Outcome

MOST_BYTES = 60_000
_ROOM = 200


def document(outcome: Outcome) -> str:
    """A table, the worst problem first; below the size that code hosts accept."""
    head = f"**{outcome.command}**: {outcome.summary()}"
    rows = [_row(problem) for problem in outcome.verdict.problems]
    if not rows:
        return head
    lines = [head, "", "| severity | problem | where |", "|---|---|---|"]
    size = sum(len(line.encode()) + 1 for line in lines)
    for number, row in enumerate(rows):
        size += len(row.encode()) + 1
        if size > MOST_BYTES - _ROOM:
            lines += ["", f"and {len(rows) - number} more"]
            break
        lines.append(row)
    return "\n".join(lines)


def _row(problem: Problem) -> str:
    places = (line for line in (*problem.where.splitlines(), *map(str, problem.related)) if line)
    where = "<br>".join(_cell(one) for one in places)
    message = _cell(problem.message)
    code = _cell(problem.code) if problem.code else ""
    return f"| {problem.severity} | {message} {code} | {where} |"


def _cell(text: str) -> str:
    # A bar ends a cell even within code.
    return as_code(shown(REDACTOR.message(" ".join(text.split())))).replace("|", "\\|")
