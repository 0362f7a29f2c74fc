"""The verdict about a case: its output compared with the expected output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.files import read_tree, write_tree
from commodore_py.adapters.files.reach import Reach
from commodore_py.catalog.diff.change import change_between
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change
from commodore_py.model.tree import Tree

from .expect import Expectations

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.problem import Problem

    from .cases import Case, Suite
    from .run import CaseRun, Output

Status = Literal["passed", "failed", "updated"]


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


def expectations_of(case: Case) -> Expectations:
    """The expectations in the file of a case, if it has one."""
    return Expectations.read(case.expectations) if case.expectations else Expectations()


def judge(suite: Suite, case: Case, ran: CaseRun, *, update: bool) -> Outcome:
    """Compare the output of a case with what is expected; with `update`, accept it."""
    try:
        expected = expectations_of(case)
        if ran.output is None:
            problems = tuple(expected.of_failure(ran.error)) if ran.error else ()
            return _outcome(case, ran, problems)
        errors = map(_as_error, ran.output.errors)
        problems = (*expected.of_output(ran.output.tree), *errors)
        wanted = suite.golden if expected.golden is None else expected.golden
        if expected.fails or not wanted:
            return _outcome(case, ran, problems)
        return _against_golden(case, ran, ran.output, problems, update=update)
    except CommodoreError as error:
        return _outcome(case, ran, (error,))


def _as_error(problem: Problem) -> CommodoreError:
    text = f"{problem.message} [{problem.code}]"
    error = CommodoreError(text, where=problem.where, hint=problem.remedy)
    for place in problem.related:
        error.add_note(str(place))
    return error


def _against_golden(
    case: Case, ran: CaseRun, output: Output, problems: tuple[CommodoreError, ...], *, update: bool
) -> Outcome:
    change = _change_of(case.golden, output.tree)
    if not change:
        return _outcome(case, ran, problems)
    # Output that violates expectations must not become the expected output.
    if update and not problems:
        _accept(case.golden, output.tree)
        return _outcome(case, ran, (), change, done="updated")
    there = case.golden.is_dir()
    what = "differs from the expected output" if there else "has no expected output yet"
    hint = "accept it with --update" if there else "save this output with --update"
    subject = "the output" if there else "the case"
    problem = CommodoreError(f"{subject} {what}", where=str(case.golden), hint=hint)
    return _outcome(case, ran, (*problems, problem), change)


def _outcome(
    case: Case,
    ran: CaseRun,
    problems: tuple[CommodoreError, ...],
    change: Change | None = None,
    *,
    done: Status = "passed",
) -> Outcome:
    notices = ran.output.notices if ran.output else ()
    return Outcome(
        case, "failed" if problems else done, problems, change or Change(), notices, ran.seconds
    )


def _change_of(folder: Path, compiled: Tree) -> Change:
    """What would change if the output became the expected one."""
    try:
        expected = read_tree(folder, Reach((folder,))) if folder.is_dir() else Tree()
    except OSError as error:
        raise CommodoreError(
            f"cannot read expected output: {error.strerror}", where=str(error.filename)
        ) from error
    return change_between(expected, compiled)


def _accept(folder: Path, compiled: Tree) -> None:
    """Make the output the expected one; only what differs is written."""
    try:
        # Git does not track empty folders.
        write_tree(folder, Tree(dict(compiled)))
    except OSError as error:
        raise CommodoreError(
            f"cannot write expected output: {error.strerror}", where=str(error.filename)
        ) from error
