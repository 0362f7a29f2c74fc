"""The test cases of a component or a package, and their outcomes."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.files import read_tree, remove, write_tree
from commodore_py.adapters.files.reach import Reach
from commodore_py.catalog.diff.change import change_between
from commodore_py.errors import CommodoreError, UsageError, of_system
from commodore_py.model.catalog import Change
from commodore_py.model.names import shown
from commodore_py.model.problem import Problem
from commodore_py.model.tree import Tree
from commodore_py.workflows.authoring.templates.kinds import check_case
from commodore_py.workflows.authoring.templates.record import NAME, NoRecord, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from commodore_py.dependencies.lock.document import Block
    from commodore_py.dependencies.lock.document import Path as InputPath

_SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case, and its files as far as they exist."""

    name: str
    values: Path
    golden: Path


@dataclass(frozen=True, slots=True)
class Suite:
    """All test cases, and files that belong to none."""

    directory: Path
    cases: tuple[Case, ...]
    orphans: tuple[Path, ...]
    """Folders of expected output without a case."""
    unlisted: tuple[Path, ...]
    """Files in `tests/` that nothing lists as a case."""
    golden: bool
    """Whether every case is to have expected output."""
    name: str
    """The name in the record of the template; empty without one."""


def find_suite(folder: Path, chosen: Sequence[str] = ()) -> Suite:
    """The cases in a folder, or those whose names match; fails if there are none.

    Cases are listed in the record of the template; a file that is not is a case if it has
    expected output. Without a list, every file is a case.
    """
    directory = folder.resolve()
    tests = directory / "tests"
    files = {
        path.stem: path
        for path in sorted(tests.glob("*"))
        if path.suffix in _SUFFIXES and not path.name.startswith(".") and path.is_file()
    }
    golden = {
        path.name: path
        for path in sorted((tests / "golden").glob("*"))
        if path.is_dir() and not path.name.startswith(".")
    }
    try:
        record = Record.read(directory)
    except NoRecord:
        record = Record("", "", None, {})
    where = str(directory / NAME)
    listed = [check_case(name, where) for name in record.text("test_cases").split()] or [*files]
    names = list(dict.fromkeys([*listed, *(name for name in files if name in golden)]))
    selected = _chosen(list(dict.fromkeys([*names, *files])), chosen) if chosen else names
    if not selected:
        raise UsageError(
            "there are no test cases",
            where=str(tests),
            hint="create one: an empty tests/defaults.yml is enough",
        )
    return Suite(
        directory,
        tuple(_case(directory, name, files.get(name)) for name in selected),
        tuple(path for name, path in golden.items() if name not in {*names, *files}),
        () if chosen else tuple(path for name, path in files.items() if name not in names),
        golden=bool(golden) or record.text("add_golden") != "n",
        name=record.text("slug"),
    )


def _case(directory: Path, name: str, values: Path | None) -> Case:
    tests = directory / "tests"
    golden = tests / "golden" / name
    # All files there may be replaced.
    if Path(os.path.realpath(golden)).parent != tests / "golden":
        raise CommodoreError(
            f"the expected output of case {shown(name)} is outside of {tests / 'golden'}",
            where=str(golden),
            hint="remove the link, or rename the case",
        )
    return Case(name, values or tests / f"{name}.yml", golden)


def _chosen(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(
                f"no test case matches {pattern}",
                hint=f"available: {', '.join(names) or 'none'}",
            )
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


Status = Literal["passed", "failed", "updated"]


@dataclass(frozen=True, slots=True)
class CaseRun:
    """How the compile of a case ended."""

    case: str
    error: CommodoreError | None = None
    tree: Tree | None = None
    """The output, below the folders of its instances; None if there is an error."""
    notices: tuple[Problem, ...] = ()
    errors: tuple[Problem, ...] = ()
    """Problems that fail the case, whatever is expected of it."""
    findings: Mapping[InputPath, Block] | None = None
    """What it is made of, if there is a lock."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and its problems."""

    case: Case
    status: Status
    problems: tuple[CommodoreError, ...] = ()
    change: Change = field(default_factory=Change)
    """The change from the expected output to this one."""
    notices: tuple[Problem, ...] = ()
    seconds: float = 0.0


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
        """True if no case failed, and nothing is refused."""
        return not self.refused and all(outcome.status != "failed" for outcome in self.outcomes)

    @property
    def refused(self) -> tuple[Problem, ...]:
        """Problems that fail a strict run although every case passed."""
        return tuple(notice for notice in self.notices() if notice.strict) if self.strict else ()

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
        yield from dict.fromkeys(each for outcome in self.outcomes for each in outcome.notices)


def build_report(
    suite: Suite,
    running: Generator[CaseRun, None, None],
    on_outcome: Callable[[Outcome], None],
    *,
    update: bool = False,
    everything: bool = True,
    strict: bool = False,
) -> Report:
    """Judge each case, and pass its outcome to `on_outcome`.

    With `update`, accept output that differs. Only if all cases run, orphans can be found.
    """
    cases = {case.name: case for case in suite.cases}
    outcomes: dict[str, Outcome] = {}
    with closing(running):
        for ran in running:
            outcome = _judged(suite, cases[ran.case], ran, update=update)
            outcomes[ran.case] = outcome
            on_outcome(outcome)
    orphans = suite.orphans if everything else ()
    for orphan in orphans if update else ():
        remove(orphan)
    return Report(
        suite,
        tuple(outcomes[name] for name in cases if name in outcomes),
        tuple(name for name in cases if name not in outcomes),
        () if update else orphans,
        orphans if update else (),
        strict,
    )


def _judged(suite: Suite, case: Case, ran: CaseRun, *, update: bool) -> Outcome:
    """The outcome of a case; output with problems is never accepted."""
    if ran.tree is None:
        errors = () if ran.error is None else (ran.error,)
        return Outcome(case, "failed", errors, seconds=ran.seconds)
    change = Change()
    status: Status = "passed"
    problems = tuple(map(_as_error, ran.errors))
    try:
        if suite.golden:
            has_output = case.golden.is_dir()
            expected = read_tree(case.golden, Reach((case.golden,))) if has_output else Tree()
            change = change_between(expected, ran.tree)
        if change and update and not problems:
            write_tree(case.golden, Tree(dict(ran.tree)))  # Git does not track empty folders
            status = "updated"
        elif change:
            problems = (*problems, _unexpected(case.golden))
    except CommodoreError as error:
        problems = (*problems, error)
    except OSError as error:
        problems = (*problems, of_system(error))
    status = "failed" if problems else status
    return Outcome(case, status, problems, change, ran.notices, ran.seconds)


def _as_error(problem: Problem) -> CommodoreError:
    text = f"{problem.message} [{problem.code}]"
    error = CommodoreError(text, where=problem.where, hint=problem.remedy)
    for place in problem.related:
        error.add_note(str(place))
    return error


def _unexpected(golden: Path) -> CommodoreError:
    if golden.is_dir():
        text, hint = "the output differs from the expected output", "accept it with --update"
    else:
        text, hint = "the case has no expected output yet", "save this output with --update"
    return CommodoreError(text, where=str(golden), hint=hint)
