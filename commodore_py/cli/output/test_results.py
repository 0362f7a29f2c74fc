"""Results of `component test` and `package test`: text, JSON, and JUnit's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.errors import CommodoreError, SeveralErrors, notes_of

from . import differences, streams
from .differences import DiffOptions, as_json
from .differences.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.model.catalog import Change
    from commodore_py.workflows.authoring.testing.cases import Suite
    from commodore_py.workflows.authoring.testing.report import Report
    from commodore_py.workflows.authoring.testing.verdict import Outcome

    from .differences import DiffForm

_COLOURS = {"passed": "green", "failed": "red", "updated": "yellow"}
_WIDTH = 7
_FEW = 3


def opening(suite: Suite) -> str:
    """The heading of a run."""
    name = suite.name or suite.directory.name
    return f"Testing {name}: {counted(len(suite.cases), 'case')}"


def progress(outcome: Outcome) -> str:
    """The result of one case, as progress."""
    return f"{outcome.case.name}: {outcome.status} ({outcome.seconds:.1f} s)"


def report(found: Report, form: DiffForm) -> str:
    """All cases, with what is wrong with each."""
    return "\n".join((*_cases(found.outcomes, form), *_ending(found)))


def changes_since(last: Report | None, now: Report, form: DiffForm) -> str:
    """The cases whose result differs from the last one."""
    if last is None:
        return report(now, form)
    before = {one.case.name: _signature(one) for one in last.outcomes}
    different = [one for one in now.outcomes if _signature(one) != before.get(one.case.name)]
    return "\n".join((*_cases(different, form), *_ending(now)))


def shortened(paths: Sequence[Path]) -> str:
    """A few names, and the number of others."""
    names = ", ".join(path.name for path in paths[:_FEW])
    more = len(paths) - _FEW
    return f"{names} and {counted(more, 'more file')}" if more > 0 else names


def _problem_lines(error: CommodoreError) -> Iterator[str]:
    """A problem in its parts, a line each."""
    for one in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _problem_lines(one)
    yield str(error)
    for part in (error.where, "\n".join(notes_of(error))):
        yield from (f"  {line}" for line in part.splitlines())
    if error.hint:
        yield f"  hint: {error.hint}"


def _cases(outcomes: Iterable[Outcome], form: DiffForm) -> Iterator[str]:
    seen: dict[tuple[str, ...], str] = {}
    for one in outcomes:
        word = streams.styled(f"{one.status:{_WIDTH}}", fg=_COLOURS[one.status], bold=True)
        yield f"{word} {one.case.name}"
        for problem in one.problems:
            lines = tuple(_problem_lines(problem))
            if lines in seen:
                yield f"     the same as in {seen[lines]}: {lines[0]}"
                continue
            seen[lines] = one.case.name
            yield from (f"     {line}" for line in lines)
        if one.change:
            yield _difference(one.change, form)


def _difference(change: Change, form: DiffForm) -> str:
    # Tests compare bytes, and objects do not show all differences of them.
    if form == "objects" and not differences.diff_of(change, DiffOptions(form)):
        form = "text"
    return differences.text_of(change, DiffOptions(form))


def _ending(found: Report) -> Iterator[str]:
    counts = {
        status: sum(one.status == status for one in found.outcomes)
        for status in ("passed", "updated", "failed")
    }
    words = [f"{number} {status}" for status, number in counts.items() if number]
    if found.not_run:
        words.append(f"{len(found.not_run)} not run")
    for folder in found.removed:
        word = streams.styled("removed", fg="yellow", bold=True)
        yield f"{word} {folder.name}: it has no test case"
    total = len(found.outcomes) + len(found.not_run)
    yield streams.styled(f"{counted(total, 'case')}: {', '.join(words)}", bold=True)


def _signature(outcome: Outcome) -> object:
    texts = tuple(line for one in outcome.problems for line in _problem_lines(one))
    return outcome.status, texts, outcome.change


def as_data(report: Report) -> dict[str, Any]:
    """Everything, for `--output`."""
    return {
        "schema": "component-test/v1",
        "directory": str(report.suite.directory),
        "passed": report.good,
        "cases": [_case_data(one) for one in report.outcomes],
        "refused": [{"message": one.message, "where": one.where} for one in report.refused],
        "not_run": list(report.not_run),
        "orphans": [str(folder) for folder in report.orphans],
        "removed": [str(folder) for folder in report.removed],
        "unlisted": [str(file) for file in report.suite.unlisted],
    }


def write_junit(file: Path, report: Report) -> None:
    """Write the report for CI: a suite with a test for each case."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(file, _junit(report).encode())


def _case_data(outcome: Outcome) -> dict[str, Any]:
    change = outcome.change
    return {
        "name": outcome.case.name,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "problems": [part for one in outcome.problems for part in _problem_data(one)],
        "difference": as_json.object_diff(differences.diff_of(change, DiffOptions("objects")))
        if change
        else None,
    }


def _problem_data(error: CommodoreError) -> Iterator[dict[str, Any]]:
    for one in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _problem_data(one)
    yield {
        "message": str(error),
        "where": error.where,
        "notes": list(notes_of(error)),
        "hint": error.hint,
    }


def _junit(report: Report) -> str:
    from .problems.xml_text import attribute  # for a report only
    from .problems.xml_text import text as xml_text

    name = report.suite.name or report.suite.directory.name
    failures = sum(one.status == "failed" for one in report.outcomes)
    seconds = sum(one.seconds for one in report.outcomes)
    failures += len(report.refused)
    total = len(report.outcomes) + len(report.not_run) + len(report.refused)
    counted = {"failures": failures, "errors": 0, "skipped": len(report.not_run)}
    counts = " ".join(f'{key}="{number}"' for key, number in counted.items())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'<testsuite name={attribute(name)} tests="{total}" {counts} time="{seconds:.3f}">',
    ]
    for one in report.outcomes:
        start = (
            f"<testcase classname={attribute(name)} name={attribute(one.case.name)}"
            f' time="{one.seconds:.3f}"'
        )
        if one.status != "failed":
            lines.append(f"{start}/>")
            continue
        lines_of_problems = [line for problem in one.problems for line in _problem_lines(problem)]
        shown = [differences.text_of(one.change, DiffOptions("text"))] if one.change else []
        text = xml_text("\n".join((*lines_of_problems, *shown)))
        lines += [
            f"{start}>",
            f"<failure message={attribute(one.problems[0])}>{text}</failure>",
            "</testcase>",
        ]
    for number, refused in enumerate(report.refused, 1):
        lines += [
            f'<testcase classname={attribute(name)} name="--strict {number}" time="0.000">',
            f"<failure message={attribute(refused.message)}>{xml_text(refused.where)}</failure>",
            "</testcase>",
        ]
    lines += [
        f"<testcase classname={attribute(name)} name={attribute(case)}><skipped/></testcase>"
        for case in report.not_run
    ]
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])
