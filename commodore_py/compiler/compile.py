"""One tree per instance, by the engine that the user chose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.lib import LIBRARIES
from commodore_py.store import Store

from .job import Job
from .places import misplaced

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config, Engine
    from commodore_py.model import ReferenceFile, Sources, Tree


def compile_targets(
    config: Config, sources: Sources, references: tuple[ReferenceFile, ...]
) -> Mapping[str, Tree]:
    """Compile every instance; the problems of all of them are reported together."""
    refuse_misplaced(sources)
    job = Job(
        root=config.paths.root,
        inventory=sources.inventory,
        targets=tuple(instance.name for instance in sources.inventory.instances),
        search_paths=search_paths_of(config),
        references=references,
        reveal=False,
        fetch=config.fetch_dependencies and not config.offline,
        processes=config.processes or usable_cpus(),
        output=config.paths.root,
        checkouts=checkouts_of(sources),
        offline=config.offline,
        result_cache=config.result_cache,
        result_cache_limit=config.result_cache_limit,
        verify_cache=config.verify_cache,
        explain_cache=config.explain_cache,
    )
    return compile_job(job, config.engine, show_log=config.verbosity > 0)


def compile_job(job: Job, engine: Engine, *, show_log: bool) -> Mapping[str, Tree]:
    """Compile targets whose inventory and search paths are known: one tree for each."""
    if engine != "native":
        from .kapitan import reference  # noqa: PLC0415 - one of the two only

        return reference.compile_job(job, show_log=show_log)
    from . import native  # noqa: PLC0415 - as above

    trees = native.compile_job(job).trees
    if job.result_cache is not None:
        Store(job.result_cache).tidy(job.result_cache_limit)
    return trees


def search_paths_of(config: Config) -> tuple[Path, ...]:
    """Where inputs and imports of a catalog's components are looked for."""
    return (config.paths.vendor, config.paths.root, LIBRARIES)


def checkouts_of(sources: Sources) -> Mapping[str, Path]:
    """By instance, the checkout that its component may write to."""
    found = {}
    for instance in sources.inventory.instances:
        checkout = sources.classes.component(instance.name)
        if checkout is not None:
            found[instance.name] = checkout.worktree
    return found


def refuse_misplaced(
    sources: Sources,
    *,
    known_as: Mapping[str, str] | None = None,
    search_paths: tuple[Path, ...] = (),
) -> None:
    """Refuse entries that would write or delete where their instance has no business.

    A checkout that is not called like its instance is known by the name given for it.
    """
    errors: list[CommodoreError] = []
    for instance in sources.inventory.instances:
        checkout = sources.classes.component(instance.name)
        if checkout is not None:
            node = sources.inventory.nodes[instance.name]
            folder = (known_as or {}).get(instance.name, checkout.worktree.name)
            errors += misplaced(node, checkout.worktree, known_as=folder, search_paths=search_paths)
    raise_collected(errors, "components would write where they must not")


def usable_cpus() -> int:
    """How many processes can work at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1
