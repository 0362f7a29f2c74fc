"""Results of `component test` and `package test`: text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.names import counted

from . import differences, streams
from .differences import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.authoring.testing.cases import Outcome, Report, Suite

_COLOURS = {"passed": "green", "failed": "red", "updated": "yellow"}
_WIDTH = 7


def opening(suite: Suite) -> str:
    """The heading of a run."""
    name = suite.name or suite.directory.name
    return f"Testing {name}: {counted(len(suite.cases), 'case')}"


def progress(outcome: Outcome) -> str:
    """The result of one case, as progress."""
    return f"{outcome.case.name}: {outcome.status} ({outcome.seconds:.1f} s)"


def _problem_lines(error: CommodoreError) -> Iterator[str]:
    """A problem in its parts, a line each."""
    for inner in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _problem_lines(inner)
    yield str(error)
    for part in (error.where, "\n".join(notes_of(error))):
        yield from (f"  {line}" for line in part.splitlines())
    if error.hint:
        yield f"  hint: {error.hint}"


def case_lines(outcome: Outcome) -> Iterator[str]:
    """The result of a case, with its problems and its difference."""
    word = streams.styled(f"{outcome.status:{_WIDTH}}", fg=_COLOURS[outcome.status], bold=True)
    yield f"{word} {outcome.case.name}"
    for problem in outcome.problems:
        yield from (f"     {line}" for line in _problem_lines(problem))
    if outcome.change:
        # Tests compare bytes, and objects do not show all differences of them.
        has_objects = bool(differences.diff_of(outcome.change))
        yield differences.text_of(outcome.change, "objects" if has_objects else "text")


def ending(report: Report) -> Iterator[str]:
    """Render what was removed, and how many cases passed."""
    counts = {
        status: sum(outcome.status == status for outcome in report.outcomes)
        for status in ("passed", "updated", "failed")
    }
    words = [f"{number} {status}" for status, number in counts.items() if number]
    if report.not_run:
        words.append(f"{len(report.not_run)} not run")
    for folder in report.removed:
        word = streams.styled("removed", fg="yellow", bold=True)
        yield f"{word} {folder.name}: it has no test case"
    total = len(report.outcomes) + len(report.not_run)
    yield streams.styled(f"{counted(total, 'case')}: {', '.join(words)}", bold=True)


def as_data(report: Report) -> dict[str, Any]:
    """Everything, for `--output`."""
    return {
        "schema": "component-test/v1",
        "directory": str(report.suite.directory),
        "passed": report.good,
        "cases": [_case_data(outcome) for outcome in report.outcomes],
        "refused": [
            {"message": problem.message, "where": problem.where} for problem in report.refused
        ],
        "not_run": list(report.not_run),
        "orphans": [str(folder) for folder in report.orphans],
        "removed": [str(folder) for folder in report.removed],
        "unlisted": [str(file) for file in report.suite.unlisted],
    }


def _case_data(outcome: Outcome) -> dict[str, Any]:
    change = outcome.change
    return {
        "name": outcome.case.name,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "problems": [part for problem in outcome.problems for part in _problem_data(problem)],
        "difference": as_json.object_diff(differences.diff_of(change)) if change else None,
    }


def _problem_data(error: CommodoreError) -> Iterator[dict[str, Any]]:
    for inner in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _problem_data(inner)
    yield {
        "message": str(error),
        "where": error.where,
        "notes": list(notes_of(error)),
        "hint": error.hint,
    }
