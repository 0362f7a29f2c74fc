"""A whole compile by our own engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py import spans
from commodore_py.adapters import forked
from commodore_py.adapters.overlay import Overlay
from commodore_py.errors import CommodoreError, raise_collected

from .entries import Entries, entries_of
from .evaluation import Evaluation
from .foreign import Kapitan
from .formats import style_of
from .inventory_imports import InventoryImports
from .lookup import Lookup
from .natives import Memo
from .output import Output
from .tags import Tags
from .target import Target, compile_target
from .views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.model import Tree

    from .job import Job

# Below that, a second process costs more than it saves.
_WORTH_WORKERS = 4


def compile_job(job: Job) -> Mapping[str, Tree]:
    """Compile all targets; the problems of all of them are reported together."""
    entries = {name: entries_of(job.inventory.nodes[name]) for name in job.targets}
    raise_collected(
        (problem for one in entries.values() for problem in one.problems),
        "some entries cannot be understood",
    )
    engine = _Engine(job, entries, Views(job.inventory), Tags.of(job.references, bare=job.reveal))
    trees: dict[str, Tree] = {}
    errors: dict[str, CommodoreError] = {}
    for name, result in engine.results():
        if isinstance(result, CommodoreError):
            errors[name] = result
        else:
            trees[name] = result
    raise_collected(
        (errors[name] for name in sorted(errors)), "some component instances do not compile"
    )
    return {name: trees[name] for name in job.targets}


@dataclass(frozen=True, slots=True)
class _Engine:
    """What all targets of a compile share."""

    job: Job
    entries: Mapping[str, Entries]
    views: Views
    tags: Tags

    def results(self) -> Iterator[tuple[str, Tree | CommodoreError]]:
        """Every target with its tree, or with what is wrong with it."""
        targets = self.job.targets
        if self.job.processes > 1 and len(targets) >= _WORTH_WORKERS and forked.possible():
            yield from forked.each(self._equip, targets, self.job.processes)
            return
        kapitan = Kapitan(self.job, self.views)
        try:
            compile_one = self._compiler(kapitan)
            for name in targets:
                yield name, compile_one(name)
        finally:
            kapitan.close()

    def _equip(self) -> Callable[[str], Tree | CommodoreError]:
        return self._compiler(Kapitan(self.job, self.views))

    def _compiler(self, kapitan: Kapitan) -> Callable[[str], Tree | CommodoreError]:
        imports = InventoryImports(self.views)
        memo = Memo()

        def compile_one(name: str) -> Tree | CommodoreError:
            target = self._target(name, kapitan, Evaluation(name, imports, memo))
            try:
                with spans.item("target", name):
                    return compile_target(target, Output(name, self.job.checkouts.get(name))).tree
            except CommodoreError as error:
                return error

        return compile_one

    def _target(self, name: str, kapitan: Kapitan, evaluation: Evaluation) -> Target:
        root = self.job.root
        return Target(
            name=name,
            entries=self.entries[name].compiled,
            style=style_of(self.job.inventory.nodes[name].parameters),
            lookup=Lookup(self.job.search_paths, Overlay(root / "compiled", root / "catalog", {})),
            tags=self.tags,
            evaluation=evaluation,
            kapitan=kapitan,
        )
