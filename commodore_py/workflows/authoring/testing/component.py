"""Test a component: all of its cases in one process, against what is expected of them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py.dependencies.jsonnet.component_libraries import requirements_fingerprint
from commodore_py.dependencies.lock.unlocked import RunLock
from commodore_py.errors import CommodoreError
from commodore_py.inventory.parameter_schema import problems_of as schema_problems
from commodore_py.inventory.parameter_schema import subjects_of
from commodore_py.problems.judge import verdict_of
from commodore_py.workflows.authoring.component import ComponentFolder
from commodore_py.workflows.authoring.component_compile import (
    CompileRequest,
    component_workspace,
    fetch_component_downloads,
    fetch_libraries,
    gather,
    render,
    restore_checkout,
)
from commodore_py.workflows.authoring.folder_kind import other_kind_error

from .run import CaseRun, Output, apart, compiled

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem
    from commodore_py.workflows.authoring.component_compile import Gathered

    Problems = tuple[Problem, ...]
    from collections.abc import Generator
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.dependencies.lock.unlocked import Findings

    from .cases import Case, Suite

_LIBRARIES = "vendor"


@dataclass(frozen=True, slots=True)
class Settings:
    """How each case is compiled."""

    name: str = ""
    alias: str = ""
    """The instance of each case; `{case}` stands for its name."""
    search_paths: tuple[Path, ...] = ()
    beside: tuple[Path, ...] = ()


def compile_cases(
    config: Config, suite: Suite, settings: Settings, lock: SharedLock | None = None
) -> Generator[CaseRun, None, None]:
    """Compile all cases; yields each as soon as it is done.

    What several of them require is fetched once. Cases that require different content at
    one path are compiled one group after the other.
    """
    with ExitStack() as stack:
        gathered: list[tuple[Case, Gathered]] = []
        for number, case in enumerate(suite.cases):
            try:
                wanted = request_for(suite, case, settings)
                if not number:
                    restore_checkout(wanted)
                work = stack.enter_context(component_workspace(config))
                locked = lock.run() if lock is not None else RunLock()
                gathered.append((case, gather(config, wanted, work, locked)))
            except CommodoreError as error:
                yield CaseRun(case.name, None, error)
        # Of cases that require different content at one path, each has what it requires when it
        # is compiled; and the next run requires the first again.
        groups: dict[object, list[tuple[Case, Gathered]]] = {}
        for case, each in gathered:
            groups.setdefault(_requirements(each), []).append((case, each))
        for group in groups.values():
            try:
                _fetch(group[0][1], keep_others=len(groups) > 1)
            except CommodoreError as error:
                yield from (CaseRun(case.name, None, error) for case, _ in group)
            else:
                yield from compiled(config, [(case.name, each) for case, each in group], _compile)


def request_for(suite: Suite, case: Case, settings: Settings) -> CompileRequest:
    """The compile of a case."""
    directory = suite.directory
    if not case.values.is_file():
        raise other_kind_error(directory, "component") or CommodoreError(
            f"test case {case.name} has no file",
            where=str(case.values),
            hint="create it, even an empty one, or remove the case from the list of cases",
        )
    component = ComponentFolder.find(
        directory,
        [case.values],
        name=settings.name or suite.name,
        alias=settings.alias.replace("{case}", case.name),
        beside=settings.beside,
    )
    return CompileRequest(component, directory, settings.search_paths or (directory,))


def _fetch(gathered: Gathered, *, keep_others: bool) -> None:
    if requirements_fingerprint(gathered.request.component.checkout(), gathered.parameters):
        findings = apart(lambda: _libraries_of(gathered, keep_others=keep_others))
        if findings is not None:
            gathered.lock.take(findings)
    else:
        fetch_libraries(gathered, keep_others=keep_others)
    fetch_component_downloads(gathered, gathered.downloads)


def _libraries_of(gathered: Gathered, *, keep_others: bool) -> Findings | None:
    fetch_libraries(gathered, keep_others=keep_others)
    return gathered.lock.findings


def _compile(gathered: Gathered) -> Output:
    done = render(gathered)
    folder = done.folder.relative_to(gathered.request.output / "compiled")
    errors, notices = _problems_in(gathered)
    return Output(
        done.tree.below(PurePosixPath(folder)),
        (*done.notices, *notices),
        gathered.lock.findings,
        errors,
    )


def _requirements(gathered: Gathered) -> object:
    component = gathered.request.component.checkout()
    downloads = [
        (normpath(each.output_path), each.source, each.unpack) for each in gathered.downloads
    ]
    return requirements_fingerprint(component, gathered.parameters), frozenset(downloads)


def _problems_in(gathered: Gathered) -> tuple[Problems, Problems]:
    """Problems that fail a case, and those that are notices.

    The ignore file at the top of the component applies.
    """
    sources = gathered.sources
    subjects = subjects_of(sources.inventory, sources.classes)
    found = list(map(_strictly, schema_problems(subjects, sources.places.parameter)))
    if not found:
        return (), ()

    verdict = verdict_of(found, (gathered.request.component.directory,))
    notices = (one for one in verdict.problems if one.severity != "info" or one.strict)
    return verdict.failing, tuple(
        one._replace(severity="warning") for one in notices if one not in verdict.failing
    )


def _strictly(problem: Problem) -> Problem:
    """A cluster ignores a schema that cannot be used; to its author it is an error."""
    return problem._replace(severity="error") if problem.code.endswith("/bad-schema") else problem
