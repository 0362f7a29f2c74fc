"""One tree per instance, by the engine that the user chose."""

from __future__ import annotations

import os
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py.adapters.files.reach import Reach
from commodore_py.cache.remote import RemoteResults
from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError
from commodore_py.lib import LIBRARIES
from commodore_py.model.inventory import Inventory
from commodore_py.model.stages import CompilePlan

from . import native
from .entries import entries_of
from .job import Job
from .kapitan import reference
from .output import Output

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.cache.records import NewResult
    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Instance
    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree

    from .job import BaseProvider


def compile_targets(
    config: Config,
    sources: Sources,
    references: tuple[ReferenceFile, ...],
    bases: BaseProvider | None = None,
) -> Mapping[str, Tree]:
    """Compile every instance; the problems of all of them are reported together."""
    job = _job(config, sources, references, bases)
    if config.engine != "native":
        for name in job.targets:
            _refuse_misplaced(job, name)
        return reference.compile_job(job, show_log=config.verbosity > 0)
    trees = native.compile_job(job)
    if job.result_cache is not None:
        Store(job.result_cache).tidy(job.result_cache_limit)
    return trees


def share_results(config: Config, made: Iterable[NewResult]) -> None:
    """Send new results to the cache that machines share."""
    if config.dry_run or config.remote_cache is None or config.result_cache is None:
        return
    RemoteResults(config.remote_cache).send(Store(config.result_cache), made)


def working_directory_plan(
    config: Config, classes: ClassPath, instances: Iterable[Instance]
) -> CompilePlan:
    """The plan for components that were fetched into the working directory."""
    paths = config.paths
    components = ((instance.name, classes.component(instance.name)) for instance in instances)
    return CompilePlan(
        output=paths.root,
        search_paths=(paths.vendor, paths.root, LIBRARIES),
        checkouts={
            name: component.worktree for name, component in components if component is not None
        },
    )


def usable_cpus() -> int:
    """How many processes can work at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def _job(
    config: Config,
    sources: Sources,
    references: tuple[ReferenceFile, ...],
    bases: BaseProvider | None,
) -> Job:
    plan, inventory = sources.plan, sources.inventory
    targets = tuple(instance.name for instance in inventory.instances)
    if plan.alone:
        nodes = {name: inventory.nodes[name] for name in targets}
        inventory = Inventory(nodes, inventory.instances)
    return Job(
        root=config.paths.root,
        inventory=inventory,
        targets=targets,
        search_paths=plan.search_paths,
        references=references,
        reveal=plan.reveal,
        processes=config.processes or usable_cpus(),
        output=plan.output,
        reach=Reach(
            (*sources.readable, config.paths.root, LIBRARIES.parent),
            work=(config.paths.root, plan.output),
            private=config.private_places(),
        ),
        checkouts=plan.checkouts,
        offline=config.offline,
        result_cache=config.result_cache,
        result_cache_limit=config.result_cache_limit,
        verify_cache=config.verify_cache,
        remote_cache=config.remote_cache,
        state=plan.scratch_notes,
        bases=bases,
    )


def _refuse_misplaced(job: Job, target: str) -> None:
    """Refuse what Kapitan would write or delete elsewhere: it joins paths and looks no further."""
    output = Output(target, job.checkouts.get(target))
    compiled = f"{job.root}/compiled/{output.folder}"
    for entry in entries_of(job.inventory.nodes[target]).compiled:
        removed = entry.input_paths if entry.input_type == "remove" else ()
        paths = (normpath(job.root / path) for path in removed)
        outside = (path for path in paths if not f"{path}/".startswith(f"{compiled}/"))
        try:
            for path in (entry.output_path, *outside):
                output.place(path)
        except CommodoreError as error:
            error.where = entry.where
            raise
