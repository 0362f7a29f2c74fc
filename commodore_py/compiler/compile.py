"""One tree per instance, by the engine that the user chose."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from posixpath import isabs, normpath
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files.reach import Reach
from commodore_py.cache.remote import RemoteResults
from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.lib import LIBRARIES
from commodore_py.model.inventory import Inventory
from commodore_py.model.plan import Checkout, CompilePlan
from commodore_py.model.spot import Spot

from . import native
from .job import Job
from .kapitan import reference

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Instance, Node
    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree

    from .job import BaseProvider

_WORKING_DIRECTORY = {"..", "compiled", "dependencies", "inventory"}


def compile_targets(
    config: Config,
    sources: Sources,
    references: tuple[ReferenceFile, ...],
    bases: BaseProvider | None = None,
) -> Mapping[str, Tree]:
    """Compile every instance; the problems of all of them are reported together."""
    _refuse_misplaced(sources)
    job = _job(config, sources, references, bases)
    if config.engine != "native":
        return reference.compile_job(job, show_log=config.verbosity > 0)
    trees = native.compile_job(job)
    if job.result_cache is not None:
        Store(job.result_cache).tidy(job.result_cache_limit)
    return trees


def share_results(config: Config) -> None:
    """Send new results to the cache that machines share."""
    if config.remote_cache is not None and config.result_cache is not None:
        with run_log.stage("share"):
            RemoteResults(config.remote_cache).send(Store(config.result_cache))


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
            name: Checkout(component.worktree, component.worktree.name)
            for name, component in components
            if component is not None
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
        remote_cache=config.remote_cache,
        state=plan.scratch_notes,
        bases=bases,
    )


def _refuse_misplaced(sources: Sources) -> None:
    """Refuse entries that would write or delete where their instance has no business.

    Kapitan joins paths and looks no further: `../x` leads out of the target, and `remove` takes
    whatever it finds below the working directory.
    """
    plan = sources.plan
    raise_collected(
        (
            error
            for name, checkout in plan.checkouts.items()
            for error in _misplaced(
                sources.inventory.nodes[name], checkout, search_paths=plan.user_search_paths
            )
        ),
        "components would write where they must not",
    )


def _misplaced(
    node: Node, own: Checkout, *, search_paths: Iterable[Path]
) -> Iterator[CommodoreError]:
    checkout = own.worktree
    # What the user's search paths find is in the checkout if they are.
    found_in_checkout = any(
        path == checkout or _is_below(str(path), checkout) for path in search_paths
    )
    kapitan = node.parameters.get("kapitan")
    entries = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, Mapping):
            continue
        spot = ("kapitan", "compile", f"[{index}]")
        output = entry.get("output_path")
        if isinstance(output, str) and not _is_inside(output, checkout):
            yield CommodoreError.at_spot(
                Spot(node.name, (*spot, "output_path")),
                f"output path {output} would write outside of compiled/{node.name}",
                hint="name a folder below it, or one of the component's own checkout",
            )
        paths = entry.get("input_paths")
        if entry.get("input_type") != "remove" or not isinstance(paths, list):
            continue
        compiled = f"compiled/{node.name.replace('.', '/')}"
        for path in (one for one in paths if isinstance(one, str)):
            # Such a path has no place of its own: it comes with the working directory.
            is_searched = not isabs(path) and _first_folder(path) not in _WORKING_DIRECTORY
            if found_in_checkout and is_searched:
                continue
            allowed = (f"{compiled}/", f"dependencies/{own.name}/")
            is_below = normpath(path) == compiled or normpath(path).startswith(allowed)
            if not is_below and not (isabs(path) and _is_below(path, checkout)):
                yield CommodoreError.at_spot(
                    Spot(node.name, (*spot, "input_paths")),
                    f"removing {path} would delete outside of {compiled}",
                    hint=f"`remove` takes what was compiled before: {compiled}/...",
                )


def _first_folder(path: str) -> str:
    return normpath(path).split("/", 1)[0]


def _is_inside(path: str, checkout: Path) -> bool:
    return _is_below(path, checkout) if isabs(path) else _first_folder(path) != ".."


def _is_below(path: str, checkout: Path) -> bool:
    clean = normpath(path)
    # The checkout itself cannot be written or deleted, only files in it.
    return clean.startswith(f"{checkout}/") and not clean.startswith(f"{checkout}/.git")
