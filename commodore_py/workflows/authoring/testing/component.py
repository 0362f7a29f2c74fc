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
    fetch_component_downloads,
    fetch_libraries,
    gather,
    render,
    restore_checkout,
    temporary_folder,
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
                folder = stack.enter_context(temporary_folder(config))
                locked = lock.run() if lock is not None else RunLock()
                gathered.append((case, gather(config, wanted, folder, locked)))
            except CommodoreError as error:
                yield CaseRun(case.name, None, error)
        groups = fetch_groups(gathered)
        for group in groups:
            # The next group may want other versions, and the next run the first ones again.
            ready, failed = _fetched(group, keep_others=len(groups) > 1)
            yield from failed
            yield from compiled(config, ready, _compile)


def request_for(suite: Suite, case: Case, settings: Settings) -> CompileRequest:
    """What is compiled for a case."""
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


def _fetched(
    group: list[tuple[Case, Gathered]], *, keep_others: bool
) -> tuple[list[tuple[str, Gathered]], list[CaseRun]]:
    """The cases whose dependencies were fetched, and those whose fetch failed."""
    first = group[0][1]
    try:
        if requirements_fingerprint(first.request.component.checkout(), first.parameters):
            findings = apart(lambda: _libraries_of(first, keep_others=keep_others))
            if findings is not None:
                first.lock.take(findings)
        else:
            fetch_libraries(first, keep_others=keep_others)
    except CommodoreError as error:
        return [], [CaseRun(case.name, None, error) for case, _ in group]
    ready, failed, there = [], [], set[object]()
    for case, one in group:
        keys = {each: (each.output_path, each.source, each.unpack) for each in one.downloads}
        try:
            fetch_component_downloads(
                one, tuple(each for each, key in keys.items() if key not in there)
            )
        except CommodoreError as error:
            failed.append(CaseRun(case.name, None, error))
        else:
            there |= {*keys.values()}
            ready.append((case.name, one))
    return ready, failed


def _libraries_of(first: Gathered, *, keep_others: bool) -> Findings | None:
    fetch_libraries(first, keep_others=keep_others)
    return first.lock.findings


def _compile(gathered: Gathered) -> Output:
    done = render(gathered)
    folder = done.folder.relative_to(gathered.request.output / "compiled")
    errors, notices = problems_in(gathered)
    return Output(
        done.tree.below(PurePosixPath(folder)),
        (*done.notices, *notices),
        gathered.lock.findings,
        errors,
    )


def fetch_groups(gathered: list[tuple[Case, Gathered]]) -> list[list[tuple[Case, Gathered]]]:
    """Groups whose members want the same at every place, in the order of the cases."""
    found: list[tuple[dict[str, object], list[tuple[Case, Gathered]]]] = []
    for case, one in gathered:
        requirements = _requirements(one)
        for there, group in found:
            if all(
                there.get(place, requirement) == requirement
                for place, requirement in requirements.items()
            ):
                there.update(requirements)
                group.append((case, one))
                break
        else:
            found.append((requirements, [(case, one)]))
    return [group for _, group in found]


def _requirements(gathered: Gathered) -> dict[str, object]:
    component = gathered.request.component.checkout()
    requirements: dict[str, object] = {}
    for one in gathered.downloads:
        place = normpath(one.output_path)
        requirements[place] = (requirements.get(place), one.source, one.unpack)
    # No place of a download is called so: that would be the folder of all libraries.
    requirements[_LIBRARIES] = requirements_fingerprint(component, gathered.parameters)
    return requirements


def problems_in(gathered: Gathered) -> tuple[Problems, Problems]:
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
