"""Compile a component by itself, without a cluster: through the stages of a catalog's compile."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py import compiler, pipeline, run_log
from commodore_py.adapters.files import link, write_tree
from commodore_py.adapters.git import on_disk
from commodore_py.config import WorkPaths
from commodore_py.dependencies.downloads.fetch import fetch_downloads
from commodore_py.dependencies.jsonnet.component_libraries import (
    install_component_libraries,
    link_component_libraries,
)
from commodore_py.inventory.checks import deprecations
from commodore_py.inventory.single import resolve_single, single_locator
from commodore_py.lib import LIBRARIES
from commodore_py.model.stages import CompilePlan, Sources
from commodore_py.problems.refuse import refuse

from .workspace import (
    Compiled,
    Workspace,
    cluster_for_component,
    workspace,
    write_argocd_stub,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.run import LockedRun
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.model.download import Download
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problem import Problem
    from commodore_py.model.tree import Tree

    from .folders import ComponentFolder

log = logging.getLogger(__name__)

_PATIENCE = 600.0  # seconds, for programs of other compiles of the same component
_KEEP_FOLDER = 3  # verbosity


@dataclass(frozen=True, slots=True)
class Gathered:
    """The sources of a component, laid out in a folder; downloads are not fetched yet."""

    config: Config
    place: Workspace
    component: ComponentFolder
    sources: Sources
    downloads: tuple[Download, ...]
    lock: LockedRun | None
    """The lock of what it requires, if there is one."""

    @property
    def parameters(self) -> Parameters:
        """Parameters of the instance."""
        return self.sources.inventory.bootstrap.parameters

    @property
    def folder(self) -> PurePosixPath:
        """The folder of the instance, below `compiled/`."""
        return PurePosixPath(self.component.instance.name.replace(".", "/"))


def compile_component(
    config: Config,
    component: ComponentFolder,
    *,
    output: Path,
    search_paths: tuple[Path, ...] = (),
    lock: SharedLock | None = None,
) -> Compiled:
    """Compile a component and write its tree; what other instances left there stays.

    Its tree is below `compiled/` of `output`, where relative paths of downloads start. Imports and
    inputs are looked for in `search_paths` before anywhere else.
    """
    restore_checkout(component)
    with component_workspace(config) as place, place.user_paths():
        locked = lock.run() if lock is not None else None
        gathered = gather(
            config, component, place, locked, output=output, search_paths=search_paths
        )
        fetch(gathered)
        tree, notices = render(gathered)
        if lock is not None and locked is not None:
            lock.add(locked.findings)
            notices = (*notices, *lock.finish())
    folder = output / "compiled" / gathered.folder
    write_tree(folder, tree)
    return Compiled(folder, notices)


def restore_checkout(component: ComponentFolder) -> None:
    """Repair what a killed run left in the component's checkout."""
    checkout = component.repository
    on_disk.repair(on_disk.notes_in(checkout), (checkout,), patience=_PATIENCE)


@run_log.act("gather")
def gather(
    config: Config,
    component: ComponentFolder,
    place: Workspace,
    lock: LockedRun | None,
    *,
    output: Path,
    search_paths: tuple[Path, ...],
) -> Gathered:
    """The component's classes and node, laid out as a small working directory."""
    log.info("Gathering what component %s is made of", component.instance.component)
    config = replace(config, paths=WorkPaths(place.folder), local=False)
    now = datetime.now().astimezone()
    instance, classes, paths = component.instance, component.classes(), config.paths
    cluster = cluster_for_component(instance.component, instance.name)
    resolved = resolve_single(config, cluster, classes, instance)
    places = single_locator(config, cluster, classes, instance)
    compiler.check_entries(resolved, places.parameter)
    for folder in (component, *component.beside):
        link(paths.dependencies / folder.instance.component, folder.directory)
    (paths.dependencies / "libs").mkdir()  # empty, but people's scripts expect it
    beside = [other.checkout() for other in component.beside]
    link_component_libraries(config, component.checkout(), resolved.bootstrap.parameters, beside)
    write_argocd_stub(paths.libraries)
    plan = CompilePlan(
        output=output,
        search_paths=(
            *search_paths,
            component.directory / "vendor",
            paths.dependencies,
            paths.root,
            LIBRARIES,
        ),
        checkouts={instance.name: component.repository},
        alone=True,
        reveal=True,
        scratch_notes=on_disk.notes_in(component.repository),
    )
    notices = deprecations(resolved)
    sources = Sources(cluster, classes, resolved, now, plan=plan, places=places, notices=notices)
    downloads = tuple(compiler.wanted_downloads(resolved))
    return Gathered(config, place, component, sources, downloads, lock)


@run_log.act("fetch")
def fetch(gathered: Gathered, *, keep_others: bool = False) -> None:
    """Fetch the Jsonnet libraries that the component requires, and its downloads, to their places.

    Libraries of other cases stay if `keep_others` is set.
    """
    config, sources, lock = gathered.config, gathered.sources, gathered.lock
    install_component_libraries(
        config,
        gathered.component.checkout(),
        gathered.parameters,
        keep_others=keep_others,
        resolve_locked=lock and lock.resolve_libraries,
    )
    fetch_downloads(
        *(config, gathered.downloads, sources.classes, sources.places),
        output=sources.plan.output,
        through=lock and lock.downloads,
    )


def render(gathered: Gathered) -> tuple[Tree, tuple[Problem, ...]]:
    """Compile and filter what was gathered; nothing is written to its place."""
    config, sources, instance = gathered.config, gathered.sources, gathered.component.instance
    log.info("Compiling component %s", instance.component)
    rendered = pipeline.render(config, sources, gathered.lock)
    of_lock = gathered.lock.notices if gathered.lock is not None else ()
    notices = gathered.place.notices((*rendered.notices, *sources.notices, *of_lock))
    refuse(notices, strict=config.strict)
    return rendered.instances[instance.name], notices


def component_workspace(config: Config) -> AbstractContextManager[Workspace]:
    """A temporary working directory, which very verbose runs keep."""
    return workspace("component-", kept=config.verbosity >= _KEEP_FOLDER)
