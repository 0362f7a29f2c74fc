"""Problems as JUnit's XML: a suite for each check, a case for each object with problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .outcome import details
from .xml_text import attribute, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.model.problem import Problem
    from commodore_py.model.verdict import CheckRun

    from .outcome import Outcome


def document(outcome: Outcome) -> str:
    """The whole file."""
    runs = {one.name: one for one in outcome.checks}
    failing = frozenset(outcome.verdict.failing)
    return "\n".join(
        (
            '<?xml version="1.0" encoding="utf-8"?>',
            f"<testsuites name={attribute('commodore ' + outcome.command)}>",
            *(
                line
                for area, problems in outcome.by_area().items()
                for line in _suite(area, problems, runs.get(area), failing)
            ),
            "</testsuites>",
        )
    )


def _suite(
    area: str, problems: Sequence[Problem], run: CheckRun | None, failing: frozenset[Problem]
) -> Iterator[str]:
    cases: dict[str, list[Problem]] = {}
    for problem in problems:
        place = problem.place
        cases.setdefault(place.object or place.file or problem.subject or area, []).append(problem)
    failures = sum(any(one in failing for one in found) for found in cases.values())
    skipped = run is not None and run.outcome in ("skipped", "unchecked")
    alone = not cases or skipped
    yield (
        f'  <testsuite name={attribute(area)} tests="{len(cases) + alone}"'
        f' failures="{failures}" errors="0" skipped="{int(skipped)}">'
    )
    if alone:
        yield f"    <testcase classname={attribute(area)} name={attribute(area)}>"
        if skipped and run is not None:
            yield f"      <skipped message={attribute(run.reason)}/>"
        yield "    </testcase>"
    for name, found in cases.items():
        yield f"    <testcase classname={attribute(area)} name={attribute(name)}>"
        yield from _case(found, failing)
        yield "    </testcase>"
    yield "  </testsuite>"


def _case(problems: Sequence[Problem], failing: frozenset[Problem]) -> Iterator[str]:
    bad = [one for one in problems if one in failing]
    other = [one for one in problems if one not in failing]
    for tag, found in (("failure", bad), ("system-out", other)):
        if not found:
            continue
        message = f" message={attribute(found[0].message)}" if tag == "failure" else ""
        yield f"      <{tag}{message}>"
        for problem in found:
            yield text(f"{problem.severity}: {problem.message} [{problem.code}]")
            yield from (text(f"  {line}") for line in details(problem))
        yield f"      </{tag}>"
