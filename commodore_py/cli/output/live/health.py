"""Results of `commodore live health`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.cli.output import streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.workflows.live.health import Case, HealthReport, Judged

STATUS_COLOURS = {
    "Healthy": "green",
    "Suspended": "cyan",
    "Progressing": "blue",
    "Missing": "yellow",
    "Degraded": "red",
    "Unknown": "yellow",
}
_NONE = "-"
_WIDTH = max(map(len, STATUS_COLOURS))


def report(health_report: HealthReport) -> dict[str, Any]:
    """The health of objects."""
    return {
        "schema": "live-health/v1",
        "objects": [_judged(judged) for judged in health_report.objects],
        "worst": health_report.worst,
        "others": health_report.others,
    }


def report_lines(health_report: HealthReport) -> Iterator[str]:
    """Render it for people, a line for each object."""
    for judged in health_report.objects:
        health = judged.health
        word = health.status or _NONE
        status = streams.styled(word.ljust(_WIDTH), fg=STATUS_COLOURS.get(word))
        about = [str(judged.object.id), health.message, f"({health.source})"]
        yield f"{status}  {escaping.one_line('  '.join(filter(None, about)))}"


def tests(cases: Iterable[Case]) -> dict[str, Any]:
    """The results of tests of rules."""
    listed = list(cases)
    return {
        "schema": "live-health-test/v1",
        "passed": sum(case.passed for case in listed),
        "failed": sum(not case.passed for case in listed),
        "cases": [
            {
                "folder": case.folder,
                "input": case.input,
                "passed": case.passed,
                "expected": _outcome(case.expected),
                "found": _outcome(case.actual),
            }
            for case in listed
        ],
    }


def case_lines(case: Case) -> Iterator[str]:
    """A failed test for people."""
    yield escaping.one_line(f"{case.folder}: {case.input}")
    yield escaping.one_line(f"  expected  {_shown(case.expected)}")
    yield escaping.one_line(f"  found     {_shown(case.actual)}")


def _shown(outcome: tuple[str, str]) -> str:
    status, message = outcome
    return f"{status or _NONE}  {message}".rstrip()


def _outcome(outcome: tuple[str, str]) -> dict[str, str]:
    status, message = outcome
    return {"status": status, "message": message}


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        **asdict(judged.object.id),
        "file": judged.object.file,
        **asdict(judged.health),
    }
