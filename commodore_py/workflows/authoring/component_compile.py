"""Compile a component by itself, without a cluster: through the stages of a catalog's compile."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime
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
from commodore_py.dependencies.lock.unlocked import RunLock
from commodore_py.inventory.checks import deprecations
from commodore_py.inventory.single import resolve_single, single_locator
from commodore_py.lib import LIBRARIES
from commodore_py.model.stages import CompilePlan, Sources
from commodore_py.problems.refuse import refuse

from .workspace import Workspace, cluster_for_component, workspace, write_argocd_stub

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.model.download import Download
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problem import Problem
    from commodore_py.model.tree import Tree

    from .component import ComponentFolder

log = logging.getLogger(__name__)

_PATIENCE = 600.0  # seconds, for programs of other compiles of the same component
_KEEP_FOLDER = 3  # verbosity


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """A component to compile, and its output folder."""

    component: ComponentFolder
    output: Path
    """Where `compiled/` is, and where relative paths of downloads start."""
    search_paths: tuple[Path, ...] = ()
    """Where imports and inputs are looked for before anywhere else."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A component as it was compiled, and its problems."""

    folder: Path
    tree: Tree
    notices: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The sources of a component, laid out in a folder; downloads are not fetched yet."""

    config: Config
    place: Workspace
    request: CompileRequest
    sources: Sources
    downloads: tuple[Download, ...]
    lock: RunLock
    """The lock of what it requires, if there is one."""

    @property
    def parameters(self) -> Parameters:
        """Parameters of the instance."""
        return self.sources.inventory.bootstrap.parameters


def compile_component(
    config: Config, request: CompileRequest, lock: SharedLock | None = None
) -> Compiled:
    """Compile a component and write its tree; what other instances left there stays."""
    restore_checkout(request)
    with component_workspace(config) as place:
        locked = lock.run() if lock is not None else RunLock()
        gathered = gather(config, request, place, locked)
        fetch_libraries(gathered)
        fetch_component_downloads(gathered, gathered.downloads)
        compiled = render(gathered)
        if lock is not None and locked.findings is not None:
            lock.add(locked.findings)
            compiled = replace(compiled, notices=(*compiled.notices, *lock.finish()))
    write_tree(compiled.folder, compiled.tree)
    return compiled


def restore_checkout(request: CompileRequest) -> None:
    """Repair what a killed run left in the component's checkout."""
    on_disk.repair(on_disk.notes_in(request.component.repository), patience=_PATIENCE)


@run_log.act("gather")
def gather(config: Config, request: CompileRequest, place: Workspace, lock: RunLock) -> Gathered:
    """The component's classes and node, laid out as a small working directory."""
    with place.user_paths():
        return _gathered(config, request, place, lock)


def _gathered(config: Config, request: CompileRequest, place: Workspace, lock: RunLock) -> Gathered:
    at = request.component
    log.info("Gathering what component %s is made of", at.instance.component)
    config = replace(config, paths=WorkPaths(place.folder), local=False)
    now = datetime.now().astimezone()
    cluster = cluster_for_component(at.instance.component, at.instance.name)
    classes = at.classes()
    resolved = resolve_single(config, cluster, classes, at.instance)
    places = single_locator(config, cluster, classes, at.instance)
    compiler.check_entries(resolved, places.parameter)
    paths = config.paths
    for component in (at, *at.beside):
        link(paths.dependencies / component.instance.component, component.directory)
    (paths.dependencies / "libs").mkdir()  # empty, but people's scripts expect it
    beside = [component.checkout() for component in at.beside]
    link_component_libraries(config, at.checkout(), resolved.bootstrap.parameters, beside)
    write_argocd_stub(paths.libraries)
    sources = Sources(
        cluster,
        classes,
        resolved,
        now,
        plan=_plan(request, paths),
        places=places,
        notices=deprecations(resolved),
    )
    downloads = tuple(compiler.wanted_downloads(resolved))
    return Gathered(config, place, request, sources, downloads, lock)


def _plan(request: CompileRequest, paths: WorkPaths) -> CompilePlan:
    at = request.component
    return CompilePlan(
        output=request.output,
        search_paths=(
            *request.search_paths,
            at.directory / "vendor",
            paths.dependencies,
            paths.root,
            LIBRARIES,
        ),
        checkouts={at.instance.name: at.repository},
        alone=True,
        reveal=True,
        scratch_notes=on_disk.notes_in(at.repository),
    )


@run_log.act("libraries")
def fetch_libraries(gathered: Gathered, *, keep_others: bool = False) -> None:
    """Fetch the Jsonnet libraries that the component requires, into its own folder."""
    component, config = gathered.request.component.checkout(), gathered.config
    with gathered.place.user_paths():
        install_component_libraries(
            config,
            component,
            gathered.parameters,
            keep_others=keep_others,
            resolving=gathered.lock.libraries,
        )


@run_log.act("downloads")
def fetch_component_downloads(gathered: Gathered, downloads: tuple[Download, ...]) -> None:
    """Fetch what the component downloads, or some of it, and put it in its places."""
    config = gathered.config
    with gathered.place.user_paths():
        fetch_downloads(
            config,
            downloads,
            gathered.sources.classes,
            gathered.sources.places,
            output=gathered.sources.plan.output,
            through=gathered.lock.downloads,
        )


def render(gathered: Gathered) -> Compiled:
    """Compile and filter what was gathered; nothing is written to its place."""
    config, sources = gathered.config, gathered.sources
    instance = gathered.request.component.instance
    log.info("Compiling component %s", instance.component)
    with gathered.place.user_paths():
        rendered = pipeline.render(config, sources, gathered.lock)
    notices = gathered.place.notices((*rendered.notices, *sources.notices, *gathered.lock.notices))
    refuse(notices, strict=config.strict)
    place = sources.plan.output / "compiled" / instance.name.replace(".", "/")
    return Compiled(place, rendered.instances[instance.name], notices)


def component_workspace(config: Config) -> AbstractContextManager[Workspace]:
    """A temporary working directory, which very verbose runs keep."""
    return workspace("component-", kept=config.verbosity >= _KEEP_FOLDER)
