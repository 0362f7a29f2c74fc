"""Compile the cases of a component or a package, fetching what they share once."""

from __future__ import annotations

import time
from collections import deque
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py import compiler
from commodore_py.adapters import workers
from commodore_py.config import WorkPaths
from commodore_py.dependencies.jsonnet.component_libraries import requirements_fingerprint
from commodore_py.errors import CommodoreError
from commodore_py.inventory.parameter_schema import problems_of as schema_problems
from commodore_py.inventory.parameter_schema import subjects_of
from commodore_py.model.tree import Tree
from commodore_py.problems.judge import verdict_of
from commodore_py.workflows.authoring.component_compile import (
    component_workspace,
    fetch,
    gather,
    render,
    restore_checkout,
)
from commodore_py.workflows.authoring.folders import ComponentFolder, PackageFolder
from commodore_py.workflows.authoring.package_compile import placed, render_package
from commodore_py.workflows.authoring.workspace import Workspace, workspace

from .cases import CaseRun

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.model.problem import Problem
    from commodore_py.workflows.authoring.component_compile import Gathered

    from .cases import Case, Suite


def component_cases(
    config: Config,
    suite: Suite,
    lock: SharedLock | None = None,
    *,
    name: str = "",
    alias: str = "",
    search_paths: tuple[Path, ...] = (),
    beside: tuple[Path, ...] = (),
) -> Generator[CaseRun, None, None]:
    """Compile all cases; yields each as soon as it is done.

    `alias` is the instance of each case; `{case}` stands for its name.

    What several of them require is fetched once. Cases that require different content at
    one path are compiled one group after the other.
    """
    with ExitStack() as stack:
        gathered: dict[str, Gathered] = {}
        for number, case in enumerate(suite.cases):
            try:
                component = _component_of(
                    suite, case, name=name, alias=alias.replace("{case}", case.name), beside=beside
                )
                if not number:
                    restore_checkout(component)
                work = stack.enter_context(component_workspace(config))
                locked = lock.run() if lock is not None else None
                folder = suite.directory
                paths = search_paths or (folder,)
                with work.user_paths():
                    gathered[case.name] = gather(
                        config, component, work, locked, output=folder, search_paths=paths
                    )
            except CommodoreError as error:
                yield CaseRun(case.name, error)
        # Of cases that require different content at one path, each has what it requires when it
        # is compiled; and the next run requires the first again.
        groups: dict[object, dict[str, Gathered]] = {}
        for case_name, each in gathered.items():
            groups.setdefault(_requirements(each), {})[case_name] = each
        for group in groups.values():
            try:
                first = next(iter(group.values()))
                with first.place.user_paths():
                    fetch(first, keep_others=len(groups) > 1)
            except CommodoreError as error:
                yield from (CaseRun(case_name, error) for case_name in group)
            else:
                yield from compiled(
                    config,
                    {name: partial(_compile_component, name, each) for name, each in group.items()},
                )


def _component_of(
    suite: Suite, case: Case, *, name: str, alias: str, beside: tuple[Path, ...]
) -> ComponentFolder:
    """The component with the values of a case."""
    if not case.values.is_file():
        raise CommodoreError(
            f"test case {case.name} has no file",
            where=str(case.values),
            hint="create it, even an empty one, or remove the case from the list of cases",
        )
    return ComponentFolder.find(
        suite.directory,
        [case.values],
        name=name or suite.name,
        alias=alias,
        beside=beside,
    )


def _compile_component(case: str, gathered: Gathered) -> CaseRun:
    with gathered.place.user_paths():
        tree, notices = render(gathered)
    errors, more = _problems_in(gathered)
    return CaseRun(
        case,
        tree=tree.below(gathered.folder),
        notices=(*notices, *more),
        errors=errors,
        findings=gathered.lock and gathered.lock.findings,
    )


def _requirements(gathered: Gathered) -> object:
    component = gathered.component.checkout()
    downloads = [
        (normpath(each.output_path), each.source, each.unpack) for each in gathered.downloads
    ]
    return requirements_fingerprint(component, gathered.parameters), frozenset(downloads)


def _problems_in(gathered: Gathered) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
    """Problems that fail a case, and those that are notices.

    The ignore file at the top of the component applies.
    """
    sources = gathered.sources
    subjects = subjects_of(sources.inventory, sources.classes)
    problems = [
        # A cluster ignores a schema that cannot be used; to its author it is an error.
        each._replace(severity="error") if each.code.endswith("/bad-schema") else each
        for each in schema_problems(subjects, sources.places.parameter)
    ]
    if not problems:
        return (), ()
    verdict = verdict_of(problems, (gathered.component.directory,))
    notices = (each for each in verdict.problems if each.severity != "info" or each.strict)
    return verdict.failing, tuple(
        each._replace(severity="warning") for each in notices if each not in verdict.failing
    )


def package_cases(
    config: Config, suite: Suite, keep: Path | None = None, lock: SharedLock | None = None
) -> Generator[CaseRun, None, None]:
    """Compile all cases, each in a working directory of its own; yields each when it is done.

    They may require different versions of one component; shared content comes from the
    user's caches. The directories remain in a folder if one is given, and are reused there.
    """
    with workspace("package-", folder=keep) as parent:
        ready: dict[str, Callable[[], CaseRun]] = {}
        for case in suite.cases:
            folder = parent.folder / case.name
            folder.mkdir(parents=True, exist_ok=True)
            test_class = case.values.relative_to(suite.directory)
            try:
                package = PackageFolder.find(suite.directory, test_class, [])
            except CommodoreError as error:
                yield CaseRun(case.name, error)
            else:
                case_config = replace(config, paths=WorkPaths(folder), processes=1)
                work = Workspace(folder, parent.temporary)
                ready[case.name] = partial(
                    _compile_package, case.name, case_config, package, work, lock
                )
        yield from compiled(config, ready)


def _compile_package(
    case: str, config: Config, package: PackageFolder, work: Workspace, lock: SharedLock | None
) -> CaseRun:
    locked = lock.run() if lock is not None else None
    rendered = render_package(config, package, work, locked)
    tree = Tree()
    for folder, files in placed(rendered.instances).items():
        tree |= files.below(PurePosixPath(folder))
    findings = locked and locked.findings
    return CaseRun(case, tree=tree, notices=rendered.notices, findings=findings)


def compiled(config: Config, jobs: Mapping[str, Callable[[], CaseRun]]) -> Iterator[CaseRun]:
    """Compile every case, in workers if possible; yields them in the order of the jobs."""

    def run(case: str) -> CaseRun:
        begun = time.monotonic()
        try:
            ran = jobs[case]()
        except CommodoreError as error:
            ran = CaseRun(case, error)
        return replace(ran, seconds=time.monotonic() - begun)

    # Kapitan fetches while it compiles, which must not run in parallel.
    reference = config.engine == "reference"
    processes = 1 if reference else config.processes or compiler.usable_cpus()
    # Even for a single one: what it loads would keep this process from forking the next time.
    if processes == 1 or not workers.possible():
        yield from map(run, jobs)
        return
    # In order, so that two runs print the same.
    waiting, done = deque(jobs), dict[str, CaseRun]()
    for case, ran in workers.each(run, [*jobs], processes):
        done[case] = ran
        while waiting and waiting[0] in done:
            yield done.pop(waiting.popleft())


def with_lock(
    running: Generator[CaseRun, None, None], lock: SharedLock
) -> Generator[CaseRun, None, None]:
    """Every case but those that the lock refuses: its end names them."""
    with closing(running):
        for ran in running:
            if ran.error is not None and lock.refused(ran.error):
                continue
            if ran.findings is not None:
                lock.add(ran.findings)
            yield ran
