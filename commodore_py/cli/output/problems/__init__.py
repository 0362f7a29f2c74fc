"""Problems in every form: text, JSON, SARIF, Markdown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.escaping import one_line
from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli.output import formats, streams
from commodore_py.cli.output.differences.as_markdown import code as as_code

from . import sarif

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problem import Place, Problem
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.verdict import CheckRun, Verdict

MOST_OF_A_CODE = 50
_COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "info": "cyan"}
MOST_BYTES = 60_000
"""The size of a comment that code hosts accept."""
_ROOM = 200


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


def shown(outcome: Outcome, form: str, *, verbose: bool = False) -> str:
    """The outcome of a command in one form."""
    match form:
        case "json":
            return formats.as_json(as_document(outcome), indent=2)
        case "sarif":
            return formats.as_json(sarif.document(outcome), indent=2)
        case "markdown":
            return as_markdown(outcome)
        case _:
            return "\n".join(lines(outcome, verbose=verbose))


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
    left_out: dict[tuple[str, str], list[str]] = {}
    for check in outcome.checks:
        if check.outcome in ("skipped", "unchecked"):
            left_out.setdefault((check.outcome, check.reason), []).append(check.name)
    for (word, reason), names in left_out.items():
        yield f"{word}: {', '.join(names)}: {streams.shown(reason, message=True)}"
    yield streams.styled(f"Found {outcome.summary()}", bold=True)


def as_document(outcome: Outcome) -> dict[str, Any]:
    """The result of a command that finds problems."""
    verdict = outcome.verdict
    return {
        "schema": "problems/v1",
        "command": outcome.command,
        "about": outcome.about,
        "objects": outcome.objects,
        "checks": [check._asdict() for check in outcome.checks],
        "failed": bool(verdict.failing),
        "problems": [as_data(problem) for problem in verdict.problems],
        "ignored": [
            {**as_data(ignored.problem), "reason": ignored.reason or None}
            for ignored in verdict.ignored
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
        "related": [_place(place) for place in problem.related],
        "subject": problem.subject,
        "fingerprint": problem.fingerprint,
    }


def _place(place: Place) -> dict[str, Any]:
    return {key: value for key, value in place._asdict().items() if value}


def as_markdown(outcome: Outcome) -> str:
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
    where = "<br>".join(_cell(place) for place in places)
    message = _cell(problem.message)
    code = _cell(problem.code) if problem.code else ""
    return f"| {problem.severity} | {message} {code} | {where} |"


def _cell(text: str) -> str:
    # A bar ends a cell even within code.
    return as_code(one_line(REDACTOR.message(" ".join(text.split())))).replace("|", "\\|")
