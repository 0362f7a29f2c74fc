"""Results of tests for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from commodore_py.errors import SeveralErrors, notes_of

from . import changes
from .changes import Wish
from .differences import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.errors import CommodoreError
    from commodore_py.model import Change
    from commodore_py.workflows.authoring.testing.cases import Suite
    from commodore_py.workflows.authoring.testing.report import Report
    from commodore_py.workflows.authoring.testing.verdict import Outcome

    from .changes import DiffForm

_COLOURS = {"passed": "green", "failed": "red", "updated": "yellow"}
_WIDTH = 7
_FEW = 3


def opening(suite: Suite) -> str:
    """What is about to happen."""
    name = suite.name or suite.directory.name
    return f"Testing {name}: {counted(len(suite.cases), 'case')}"


def progress(outcome: Outcome) -> str:
    """One case is done."""
    return f"{outcome.case.name}: {outcome.status} ({outcome.seconds:.1f} s)"


def report(found: Report, form: DiffForm) -> str:
    """All cases, with what is wrong with each."""
    return "\n".join((*_cases(found.outcomes, form), *_ending(found)))


def since(last: Report | None, now: Report, form: DiffForm) -> str:
    """The cases that ended in another way than before."""
    if last is None:
        return report(now, form)
    before = {one.case.name: _signature(one) for one in last.outcomes}
    different = [one for one in now.outcomes if _signature(one) != before.get(one.case.name)]
    return "\n".join((*_cases(different, form), *_ending(now)))


def few(paths: Sequence[Path]) -> str:
    """Some names, and how many more there are."""
    names = ", ".join(path.name for path in paths[:_FEW])
    more = len(paths) - _FEW
    return f"{names} and {counted(more, 'more file')}" if more > 0 else names


def problem_text(error: CommodoreError) -> Iterator[str]:
    """A problem in its parts, a line each."""
    for one in error.errors if isinstance(error, SeveralErrors) else ():
        yield from problem_text(one)
    yield str(error)
    for part in (error.where, "\n".join(notes_of(error))):
        yield from (f"  {line}" for line in part.splitlines())
    if error.hint:
        yield f"  hint: {error.hint}"


def _cases(outcomes: Iterable[Outcome], form: DiffForm) -> Iterator[str]:
    told: dict[tuple[str, ...], str] = {}
    for one in outcomes:
        word = click.style(f"{one.status:{_WIDTH}}", fg=_COLOURS[one.status], bold=True)
        yield f"{word} {one.case.name}"
        for problem in one.problems:
            lines = tuple(problem_text(problem))
            if lines in told:
                yield f"     the same as in {told[lines]}: {lines[0]}"
                continue
            told[lines] = one.case.name
            yield from (f"     {line}" for line in lines)
        if one.change:
            yield _difference(one.change, form)


def _difference(change: Change, form: DiffForm) -> str:
    # Bytes count here, and objects do not tell all of them.
    if form == "objects" and not changes.diff_of(change, Wish(form)):
        form = "text"
    return changes.text_of(change, Wish(form))


def _ending(found: Report) -> Iterator[str]:
    counts = {
        status: sum(one.status == status for one in found.outcomes)
        for status in ("passed", "updated", "failed")
    }
    words = [f"{number} {status}" for status, number in counts.items() if number]
    if found.left_out:
        words.append(f"{len(found.left_out)} not run")
    for folder in found.dropped:
        yield f"{click.style('removed', fg='yellow', bold=True)} {folder.name}: it is no case's"
    total = len(found.outcomes) + len(found.left_out)
    yield click.style(f"{counted(total, 'case')}: {', '.join(words)}", bold=True)


def _signature(outcome: Outcome) -> object:
    texts = tuple(line for one in outcome.problems for line in problem_text(one))
    return outcome.status, texts, outcome.change
