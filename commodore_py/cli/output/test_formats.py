"""Results of tests for programs: JSON, and JUnit's XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from commodore_py.adapters.files import write_if_changed
from commodore_py.errors import CommodoreError, SeveralErrors, notes_of

from . import changes, differences_json
from .changes import Wish
from .test_text import problem_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.workflows.authoring.testing.report import Report
    from commodore_py.workflows.authoring.testing.verdict import Outcome

# Not even as references may these stand in XML 1.0.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def content(report: Report) -> dict[str, Any]:
    """Everything, for `--output`."""
    return {
        "schema": "component-test/v1",
        "directory": str(report.suite.directory),
        "passed": report.good,
        "cases": [_case(one) for one in report.outcomes],
        "refused": [{"message": one.text, "where": one.where} for one in report.refused],
        "not_run": list(report.left_out),
        "orphans": [str(folder) for folder in report.orphans],
        "removed": [str(folder) for folder in report.dropped],
        "unlisted": [str(file) for file in report.suite.unlisted],
    }


def write_junit(file: Path, report: Report) -> None:
    """Write the report for CI: a suite with a test for each case."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(file, _junit(report).encode())


def _case(outcome: Outcome) -> dict[str, Any]:
    change = outcome.change
    return {
        "name": outcome.case.name,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "problems": [part for one in outcome.problems for part in _problem(one)],
        "difference": differences_json.object_diff(changes.diff_of(change, Wish("objects")))
        if change
        else None,
    }


def _problem(error: CommodoreError) -> Iterator[dict[str, Any]]:
    for one in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _problem(one)
    yield {
        "message": str(error),
        "where": error.where,
        "notes": list(notes_of(error)),
        "hint": error.hint,
    }


def _junit(report: Report) -> str:
    name = report.suite.name or report.suite.directory.name
    failures = sum(one.status == "failed" for one in report.outcomes)
    seconds = sum(one.seconds for one in report.outcomes)
    failures += len(report.refused)
    total = len(report.outcomes) + len(report.left_out) + len(report.refused)
    counted = {"failures": failures, "errors": 0, "skipped": len(report.left_out)}
    counts = " ".join(f'{key}="{number}"' for key, number in counted.items())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f'<testsuite name={_attribute(name)} tests="{total}" {counts} time="{seconds:.3f}">',
    ]
    for one in report.outcomes:
        start = (
            f"<testcase classname={_attribute(name)} name={_attribute(one.case.name)}"
            f' time="{one.seconds:.3f}"'
        )
        if one.status != "failed":
            lines.append(f"{start}/>")
            continue
        said = [line for problem in one.problems for line in problem_text(problem)]
        shown = [changes.text_of(one.change, Wish("text"))] if one.change else []
        text = _text("\n".join((*said, *shown)))
        lines += [
            f"{start}>",
            f"<failure message={_attribute(one.problems[0])}>{text}</failure>",
            "</testcase>",
        ]
    for number, refused in enumerate(report.refused, 1):
        lines += [
            f'<testcase classname={_attribute(name)} name="--strict {number}" time="0.000">',
            f"<failure message={_attribute(refused.text)}>{_text(refused.where)}</failure>",
            "</testcase>",
        ]
    lines += [
        f"<testcase classname={_attribute(name)} name={_attribute(case)}><skipped/></testcase>"
        for case in report.left_out
    ]
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def _attribute(value: object) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", str(value)))


def _text(value: str) -> str:
    import click  # noqa: PLC0415 - for the colours alone

    return escape(_NO_XML.sub("\ufffd", click.unstyle(value)))
