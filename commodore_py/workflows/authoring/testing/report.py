"""The report of a test run: the outcome of each case, and problems of the whole."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Problem

from .verdict import expectations_of, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from .cases import Case, Suite
    from .run import CaseRun
    from .verdict import Outcome


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of all cases, in their order, and other problems."""

    suite: Suite
    outcomes: tuple[Outcome, ...]
    not_run: tuple[str, ...]
    """Cases that were not run."""
    orphans: tuple[Path, ...]
    removed: tuple[Path, ...]
    """Expected output of no case, removed by this run."""
    strict: bool = False

    @property
    def good(self) -> bool:
        """Whether no case failed, and nothing is refused."""
        return not self.refused and all(one.status != "failed" for one in self.outcomes)

    @property
    def refused(self) -> tuple[Problem, ...]:
        """Problems that fail a strict run although every case passed."""
        return tuple(one for one in self.notices() if one.strict) if self.strict else ()

    def notices(self) -> Iterator[Problem]:
        """Notices of all cases, each once."""
        for orphan in self.orphans:
            yield Problem(
                f"expected output {orphan.name} belongs to no test case; --update removes it",
                where=str(orphan),
                strict=True,
                code="tests/orphan",
            )
        for file in self.suite.unlisted:
            yield Problem(
                f"{file.name} is not a test case: it is not in the list of cases and has no"
                f" expected output; --update --case {file.stem} adds it",
                where=str(file),
                code="tests/unlisted",
            )
        yield from dict.fromkeys(one for outcome in self.outcomes for one in outcome.notices)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a test run."""

    update: bool = False
    everything: bool = True
    """Whether all cases are run, so that orphans can be determined."""
    strict: bool = False
    """Whether problems of the whole fail the run."""


def build_report(
    suite: Suite,
    running: Generator[CaseRun, None, None],
    manner: RunOptions,
    on_outcome: Callable[[Outcome], None],
) -> Report:
    """Judge each case when it is done, and pass its outcome to `on_outcome`."""
    cases = {case.name: case for case in suite.cases}
    outcomes: dict[str, Outcome] = {}
    with closing(running):
        for ran in running:
            outcome = judge(suite, cases[ran.case], ran, update=manner.update)
            outcomes[ran.case] = outcome
            on_outcome(outcome)
    orphans = _orphans(suite) if manner.everything else ()
    if manner.update:
        for orphan in orphans:
            remove(orphan)
    return Report(
        suite,
        tuple(outcomes[name] for name in cases if name in outcomes),
        tuple(name for name in cases if name not in outcomes),
        () if manner.update else orphans,
        orphans if manner.update else (),
        manner.strict,
    )


def _orphans(suite: Suite) -> tuple[Path, ...]:
    """Expected output without a case, and that of cases which are to have none."""
    unwanted = (case.golden for case in suite.cases if case.golden.is_dir() and _is_unwanted(case))
    return (*suite.orphans, *unwanted)


def _is_unwanted(case: Case) -> bool:
    try:
        return not expectations_of(case).needs_golden
    except CommodoreError:
        return False  # that file has failed the case already
