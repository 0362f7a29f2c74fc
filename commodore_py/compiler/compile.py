"""One tree per instance, by the engine that the user chose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters.files.reach import Reach
from commodore_py.cache.store import Store
from commodore_py.errors import raise_collected
from commodore_py.lib import LIBRARIES
from commodore_py.model.inventory import Inventory
from commodore_py.model.plan import Checkout, CompilePlan

from .job import Job
from .places import misplaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    refuse_misplaced(sources)
    job = _job(config, sources, references)._replace(bases=bases)
    if config.engine != "native":
        from .kapitan import reference  # one of the two only

        return reference.compile_job(job, show_log=config.verbosity > 0)
    from . import native

    trees = native.compile_job(job)
    if job.result_cache is not None:
        Store(job.result_cache).tidy(job.result_cache_limit)
    return trees


def working_directory_plan(
    config: Config, classes: ClassPath, instances: Iterable[Instance]
) -> CompilePlan:
    """The plan for components that were fetched into the working directory."""
    paths = config.paths
    found = ((instance.name, classes.component(instance.name)) for instance in instances)
    return CompilePlan(
        output=paths.root,
        search_paths=(paths.vendor, paths.root, LIBRARIES),
        checkouts={
            name: Checkout(one.worktree, one.worktree.name)
            for name, one in found
            if one is not None
        },
    )


def refuse_misplaced(sources: Sources) -> None:
    """Refuse entries that would write or delete where their instance has no business."""
    plan = sources.plan
    raise_collected(
        (
            error
            for name, checkout in plan.checkouts.items()
            for error in misplaced(
                sources.inventory.nodes[name], checkout, search_paths=plan.user_search_paths
            )
        ),
        "components would write where they must not",
    )


def _job(config: Config, sources: Sources, references: tuple[ReferenceFile, ...]) -> Job:
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
        # With a lock, what it pins was fetched before.
        fetch=config.fetch_dependencies and not config.offline and config.lock_file is None,
        processes=config.processes or usable_cpus(),
        output=plan.output,
        reach=Reach(
            (*sources.readable, config.paths.root, LIBRARIES.parent),
            work=(config.paths.root, plan.output),
            private=config.private_places(),
        ),
        checkouts={name: checkout.worktree for name, checkout in plan.checkouts.items()},
        offline=config.offline,
        result_cache=config.result_cache,
        result_cache_limit=config.result_cache_limit,
        verify_cache=config.verify_cache,
        state=plan.scratch_notes,
    )


def usable_cpus() -> int:
    """How many processes can work at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1
