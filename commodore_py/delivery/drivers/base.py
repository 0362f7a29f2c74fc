"""The interface of a driver: its input, its result, its Protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from commodore_py.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.delivery.findings import Finding
    from commodore_py.delivery.normal import Order
    from commodore_py.delivery.plan import Plan

MANIFESTS = "manifests"
"""The folder of the catalog that all paths are below."""


@dataclass(frozen=True, slots=True)
class Job:
    """A plan, and the output of the instances."""

    plan: Plan
    trees: Mapping[str, Tree]
    complete: Callable[[Any], Any] = lambda value: value
    """Adds the hashes to the secret references of a value."""
    head: Tree = Tree()
    """The manifests that are published; none before the first push."""

    @property
    def deployed(self) -> dict[str, Tree]:
        """The output of the instances that no condition removes."""
        removed = {item.leaf.instance for item in self.plan.removed}
        return {name: tree for name, tree in self.trees.items() if name not in removed}


@dataclass(frozen=True, slots=True)
class Laid:
    """Files of the catalog with a plan; paths are those below `manifests/`."""

    trees: Mapping[str, Tree]
    """The output of the instances, with what a driver edits in it."""
    added: Tree
    """The files that a driver adds."""
    findings: tuple[Finding, ...] = ()
    copies: Tree = Tree()
    """Folders in the order of the plan, for programs that apply one after the other."""

    @property
    def manifests(self) -> Tree:
        """All files."""
        return union((*self.trees.values(), self.added))


def union(trees: Iterable[Tree]) -> Tree:
    """The files of all trees; of several at one path, the last one."""
    return Tree({path: entry for tree in trees for path, entry in tree.items()})


class Driver(Protocol):
    """A module of this package."""

    def render(self, job: Job) -> Laid:
        """The plan in files; rendering the same job again gives the same bytes."""
        ...

    def read_back(self, manifests: Tree) -> Order:
        """The order that rendered files stand for, from their text alone."""
        ...
