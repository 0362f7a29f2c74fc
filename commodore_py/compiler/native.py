"""A whole compile by our own engine: the entries of a target in order, targets side by side."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import workers
from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.cache.recorder import Recorder
from commodore_py.cache.results import CacheDiffers
from commodore_py.errors import CommodoreError, paths_explained, raise_collected
from commodore_py.lib import KAPITAN_INVENTORY

from .cached import EntryCache
from .entries import entries_of
from .evaluation import Evaluation
from .formats import style_of
from .inputs import INPUT_TYPES
from .job import InputJob
from .output import Output
from .tags import Tags
from .views import Views

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.tree import Tree

    from .job import Entry, Job

logger = logging.getLogger(__name__)

# Below that, more processes cost more than they save.
_WORTH_WORKERS = 1.0


@dataclass(frozen=True, slots=True)
class _State:
    """A target: how many of its entries are done, their output, and what went wrong."""

    output: Output
    done: int = 0
    error: CommodoreError | None = None


def compile_job(job: Job) -> Mapping[str, Tree]:
    """Compile all targets; the problems of all of them are reported together."""
    engine = _Engine.of(job)
    states = {name: engine.begin(name) for name in job.targets}
    waiting = []
    for name, state in states.items():
        if state.done < len(engine.entries[name]):
            waiting.append(name)
        else:
            with run_log.item("target", name):
                pass
    if waiting:
        states.update(engine.finish({name: states[name] for name in waiting}))
    raise_collected(
        (error for name in sorted(states) if (error := states[name].error)),
        "some component instances do not compile",
    )
    return {name: states[name].output.tree for name in job.targets}


@dataclass(frozen=True, slots=True)
class _Engine:
    """Everything that all targets of a compile share."""

    job: Job
    entries: Mapping[str, tuple[Entry, ...]]
    tags: Tags
    cache: EntryCache
    imports: InventoryImports

    @classmethod
    def of(cls, job: Job) -> _Engine:
        """The engine of a job, if its entries can be understood."""
        entries = {name: entries_of(job.inventory.nodes[name]) for name in job.targets}
        raise_collected(
            (problem for entry in entries.values() for problem in entry.problems),
            "some entries cannot be understood",
        )
        views = Views(job.inventory)
        return cls(
            job=job,
            entries={name: one.compiled for name, one in entries.items()},
            tags=Tags.of(job.references, bare=job.reveal),
            cache=EntryCache(job, views),
            imports=InventoryImports(views, KAPITAN_INVENTORY),
        )

    def begin(self, name: str) -> _State:
        """A target with the first of its entries that are in the cache, or take no time."""
        output = Output(name, self.job.checkouts.get(name))
        if not self.cache.in_use:
            return _State(output)
        for index, entry in enumerate(self.entries[name]):
            try:
                made = output.with_folder(output.place(entry.output_path))
                kind = INPUT_TYPES[entry.input_type]
                cached = self.cache.without_work(kind, self._input_job(entry, made))
            except CommodoreError:  # reported when it is compiled
                cached = None
            if cached is None:
                return _State(output, index)
            output = cached
        return _State(output, len(self.entries[name]))

    def finish(self, states: Mapping[str, _State]) -> Iterator[tuple[str, _State]]:
        """The other entries of some targets, by several processes if there is enough work."""
        finish = partial(self._finish, states)
        seconds = sum(
            INPUT_TYPES[entry.input_type].SECONDS
            for name, state in states.items()
            for entry in self.entries[name][state.done :]
        )
        several = self.job.processes > 1 and len(states) > 1 and seconds > _WORTH_WORKERS
        if several and workers.possible():
            return workers.each(finish, tuple(states), self.job.processes)
        return ((name, finish(name)) for name in states)

    def _finish(self, states: Mapping[str, _State], name: str) -> _State:
        state = states[name]
        output = state.output
        try:
            with run_log.item("target", name):
                for entry in self.entries[name][state.done :]:
                    output = self._with_entry(entry, output)
        except CommodoreError as error:
            state = replace(state, error=error)
        return replace(state, output=output)

    def _with_entry(self, entry: Entry, output: Output) -> Output:
        """The output with that of one more entry, which sees what was written before."""
        try:
            # The folder is made first, and is there even if an entry fails that may.
            output = output.with_folder(output.place(entry.output_path))
            with paths_explained():
                kind = INPUT_TYPES[entry.input_type]
                return self.cache.rendered(kind, self._input_job(entry, output))
        except CommodoreError as error:
            if not entry.may_fail or isinstance(error, CacheDiffers):
                error.spots = (entry.spot,)
                if entry.where not in error.where:
                    error.where = "\n".join(filter(None, (error.where, entry.where)))
                raise
            text = f"{entry.target} is compiled without an entry: {error} ({entry.where})"
            logger.error("%s", text)  # noqa: TRY400 - no traceback for users
            return output

    def _input_job(self, entry: Entry, output: Output) -> InputJob:
        files = Files(
            self.job.root / "compiled",
            self.job.root / "catalog",
            trees={output.folder: output.tree},
            search_paths=self.job.search_paths,
            written=output.written,
            made=output.made,
            reach=self.job.reach,
        )
        return InputJob(
            job=self.job,
            entry=entry,
            output=output,
            files=files,
            recorder=Recorder(self.cache.roots),
            tags=self.tags,
            style=style_of(self.job.inventory.nodes[entry.target].parameters),
            evaluation=Evaluation(entry.target, self.imports),
        )
