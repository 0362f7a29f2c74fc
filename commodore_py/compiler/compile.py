"""One tree per instance: the entries of a target in order, targets side by side."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from functools import partial
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import workers
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.cache.recorder import Recorder
from commodore_py.cache.remote import RemoteResults
from commodore_py.cache.results import CacheDiffers, ResultCache
from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError, paths_explained, raise_collected
from commodore_py.lib import KAPITAN_INVENTORY, LIBRARIES
from commodore_py.model.inventory import Inventory
from commodore_py.model.stages import CompilePlan

from . import kapitan
from .cached import roots_of, work_of
from .entries import entries_of
from .formats import style_of
from .inputs import INPUT_TYPES
from .job import InputJob, Job
from .output import Output
from .tags import Tags
from .views import Views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.cache.records import NewResult
    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Instance
    from commodore_py.model.problem import Problem
    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree

    from .job import Entry, ProvideBases

logger = logging.getLogger(__name__)

# Below that, more processes cost more than they save.
_WORTH_WORKERS = 1.0


def compile_targets(
    config: Config,
    sources: Sources,
    references: tuple[ReferenceFile, ...],
    provide_bases: ProvideBases | None = None,
) -> tuple[Mapping[str, Tree], tuple[Problem, ...]]:
    """Compile every instance, by the engine that the user chose; errors are reported together."""
    plan, inventory = sources.plan, sources.inventory
    if plan.alone:
        nodes = {name: inventory.nodes[name] for name, _ in inventory.instances}
        inventory = Inventory(nodes, inventory.instances)
    reach = Reach(
        (*sources.readable, config.paths.root, LIBRARIES.parent),
        work=(config.paths.root, plan.output),
        private=config.private_places(),
    )
    job = Job(config, plan, inventory, references, reach, provide_bases)
    if config.engine != "native":
        _refuse_misplaced(job)
        return kapitan.compile_all(job), ()
    outputs = compile_job(job)
    if config.result_cache is not None:
        Store(config.result_cache).tidy(config.result_cache_limit)
    problems = tuple(problem for output in outputs.values() for problem in output.problems)
    return {name: output.tree for name, output in outputs.items()}, problems


def _refuse_misplaced(job: Job) -> None:
    """Refuse what Kapitan would write or delete elsewhere: it joins paths and looks no further."""
    for target in job.targets():
        output = Output(target, job.plan.checkouts.get(target))
        compiled = f"{job.config.paths.compiled}/{output.folder}"
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


@dataclass(frozen=True, slots=True)
class _State:
    """A target: its output, the entries that are left, and what went wrong."""

    output: Output
    left: tuple[Entry, ...]
    error: CommodoreError | None = None


def compile_job(job: Job) -> Mapping[str, Output]:
    """Compile targets, whose entries are valid, by our own engine; errors are reported together."""
    entries = {name: entries_of(job.inventory.nodes[name]) for name in job.targets()}
    config = job.config
    cache = ResultCache(
        config.result_cache, roots_of(job), verify=config.verify_cache, remote=config.remote_cache
    )
    tags = Tags.of(job.references, bare=job.plan.reveal)
    imports = InventoryImports(Views(job.inventory), KAPITAN_INVENTORY)
    engine = _Engine(job, tags, cache, imports)
    states: dict[str, _State] = {}
    waiting: dict[str, _State] = {}
    for name, listed in entries.items():
        state = engine.begin(_State(Output(name, job.plan.checkouts.get(name)), listed.compiled))
        states[name] = state
        if state.left:
            waiting[name] = state
        else:
            with run_log.item("target", name):
                pass
    states.update(engine.finish_all(waiting))
    raise_collected(
        (error for name in sorted(states) if (error := states[name].error)),
        "some component instances do not compile",
    )
    return {name: states[name].output for name in entries}


@dataclass(frozen=True, slots=True)
class _Engine:
    """Everything that all targets of a compile share."""

    job: Job
    tags: Tags
    cache: ResultCache
    imports: InventoryImports

    def begin(self, state: _State) -> _State:
        """A target with the first of its entries that are in the cache, or take no time."""
        while state.left and self.cache.in_use:
            entry, *left = state.left
            try:
                output = state.output.with_folder(state.output.place(entry.output_path))
                made = self._made(entry, output, only_quick=True)
            except CommodoreError:  # reported when it is compiled
                break
            if made is None:
                break
            state = _State(made, tuple(left))
        return state

    def finish_all(self, states: Mapping[str, _State]) -> Iterator[tuple[str, _State]]:
        """The other entries of some targets, by several processes if there is enough work."""
        finish = partial(self._finish, states)
        entries = (entry for state in states.values() for entry in state.left)
        seconds = sum(INPUT_TYPES[entry.input_type].SECONDS for entry in entries)
        processes = self.job.config.processes or usable_cpus()
        several = processes > 1 and len(states) > 1 and seconds > _WORTH_WORKERS
        if several and workers.possible():
            return workers.each(finish, tuple(states), processes)
        return ((name, finish(name)) for name in states)

    def _finish(self, states: Mapping[str, _State], name: str) -> _State:
        output = states[name].output
        try:
            with run_log.item("target", name):
                for entry in states[name].left:
                    output = self._with_entry(entry, output)
        except CommodoreError as error:
            return _State(output, (), error)
        return _State(output, ())

    def _with_entry(self, entry: Entry, output: Output) -> Output:
        """The output with that of one more entry, which sees what was written before."""
        try:
            # The folder is made first, and is there even if an entry fails that may.
            output = output.with_folder(output.place(entry.output_path))
            with paths_explained():
                return self._made(entry, output) or output
        except CommodoreError as error:
            may_fail = entry.fields["continue_on_compile_error"]
            if not may_fail or isinstance(error, CacheDiffers):
                error.spots = (entry.spot,)
                if entry.where not in error.where:
                    error.where = "\n".join(filter(None, (error.where, entry.where)))
                raise
            text = f"{entry.target} is compiled without an entry: {error} ({entry.where})"
            logger.error("%s", text)  # noqa: TRY400 - no traceback for users
            return output

    def _made(self, entry: Entry, output: Output, *, only_quick: bool = False) -> Output | None:
        """The output with that of an entry, from the cache or rendered; None if that takes time."""
        files = Files(
            self.job.config.paths.compiled,
            self.job.config.paths.catalog,
            trees={output.folder: output.tree},
            search_paths=self.job.plan.search_paths,
            written=output.written,
            made=output.made,
            reach=self.job.reach,
        )
        job = InputJob(
            job=self.job,
            entry=entry,
            output=output,
            files=files,
            recorder=Recorder(self.cache.roots),
            tags=self.tags,
            style=style_of(self.job.inventory.nodes[entry.target].parameters),
            imports=self.imports,
        )
        kind = INPUT_TYPES[entry.input_type]
        if not kind.SECONDS or not self.cache.in_store:
            return kind.render(job)
        work = work_of(kind, job, self.cache)
        return self.cache.hit(work) if only_quick else self.cache.cached(work)
