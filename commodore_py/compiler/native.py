"""A whole compile by our own engine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from commodore_py import run_log
from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.memory import is_limited, require_for_go
from commodore_py.errors import CommodoreError, raise_collected

from .cached.entry import EntryCache
from .entries import Entries, entries_of
from .evaluation import Evaluation
from .formats import style_of
from .inventory.imports import InventoryImports
from .kapitan.inputs import Kapitan
from .lookup import Lookup
from .memo import Memo
from .output import Output
from .tags import Tags
from .target import Target, compile_target, without_work
from .views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.model.tree import Tree

    from .job import Job

# Below that, a second process costs more than it saves.
_WORTH_WORKERS = 4


_Result: TypeAlias = "Tree | CommodoreError"
_Compile: TypeAlias = "Callable[[str], _Result]"


def compile_job(job: Job) -> Mapping[str, Tree]:
    """Compile all targets; the problems of all of them are reported together."""
    entries = {name: entries_of(job.inventory.nodes[name]) for name in job.targets}
    raise_collected(
        (problem for one in entries.values() for problem in one.problems),
        "some entries cannot be understood",
    )
    views, tags = Views(job.inventory), Tags.of(job.references, bare=job.reveal)
    trees: dict[str, Tree] = {}
    errors: dict[str, CommodoreError] = {}
    cache = EntryCache(job, views)
    for name, result in _Engine(job, entries, views, tags, cache).results():
        if isinstance(result, CommodoreError):
            errors[name] = result
        else:
            trees[name] = result
    raise_collected(
        (errors[name] for name in sorted(errors)), "some component instances do not compile"
    )
    return {name: trees[name] for name in job.targets}


class _Start(NamedTuple):
    """A target before anything is rendered: how many of its entries are done, and their output."""

    done: int
    output: Output


class _Engine(NamedTuple):
    """What all targets of a compile share."""

    job: Job
    entries: Mapping[str, Entries]
    views: Views
    tags: Tags
    cache: EntryCache

    def results(self) -> Iterator[tuple[str, _Result]]:
        """Every target with its tree, or with what is wrong with it."""
        kapitan = Kapitan(self.job, self.views)
        begun = {name: self._begun(name, kapitan) for name in self.job.targets}
        for name, start in tuple(begun.items()):
            if start.done == len(self.entries[name].compiled):
                del begun[name]
                with run_log.item("target", name):
                    yield name, start.output.tree
        if not begun:
            return
        limited = is_limited()
        if limited:
            require_for_go()
        if limited or (self.job.processes > 1 and len(begun) >= _WORTH_WORKERS):
            from commodore_py.adapters import forked  # edits need no workers

            if forked.possible():
                # Nobody may fork while Go runs; to look into the cache needs none of it.
                equip = partial(self._equip, begun)
                yield from forked.each(equip, tuple(begun), self.job.processes)
                return
        compile_one = self._compiler(begun, kapitan)
        try:
            for name in begun:
                yield name, compile_one(name)
        finally:
            kapitan.close()

    def _begun(self, name: str, kapitan: Kapitan) -> _Start:
        output = Output(name, self.job.checkouts.get(name))
        if not self.cache.in_use:
            return _Start(0, output)
        # Nothing is evaluated with it: what is in the cache is taken from there.
        evaluation = Evaluation(name, InventoryImports(self.views), Memo())
        done, output = without_work(self._target(name, kapitan, evaluation), output)
        return _Start(done, output)

    def _equip(self, begun: Mapping[str, _Start]) -> _Compile:
        return self._compiler(begun, Kapitan(self.job, self.views))

    def _compiler(self, begun: Mapping[str, _Start], kapitan: Kapitan) -> _Compile:
        imports, memo = InventoryImports(self.views), Memo()

        def compile_one(name: str) -> _Result:
            start = begun[name]
            target = self._target(name, kapitan, Evaluation(name, imports, memo))
            try:
                with run_log.item("target", name):
                    output = compile_target(target, start.output, done=start.done)
                    return output.tree
            except CommodoreError as error:
                return error

        return compile_one

    def _target(self, name: str, kapitan: Kapitan, evaluation: Evaluation) -> Target:
        root, reach = self.job.root, self.job.reach
        files = Overlay(root / "compiled", root / "catalog", {}, reach=reach)
        return Target(
            name=name,
            entries=self.entries[name].compiled,
            style=style_of(self.job.inventory.nodes[name].parameters),
            lookup=Lookup(self.job.search_paths, files),
            tags=self.tags,
            evaluation=evaluation,
            kapitan=kapitan,
            cache=self.cache,
        )
