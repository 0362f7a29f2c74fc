"""Common parts of drivers: input, result and Protocol, and the names that they give (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from commodore_py.delivery.findings import Finding
from commodore_py.delivery.reading import PLAN
from commodore_py.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.delivery.normal import Order
    from commodore_py.delivery.plan import Plan
    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Entry


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


DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Named:
    """The name of an object, and what it stands for."""

    name: str
    id: str
    path: ParameterPath


def name_findings(kind: str, names: Iterable[Named]) -> Iterator[Finding]:
    """Names that are too long, that are not DNS labels, or that several ids have."""
    taken: dict[str, str] = {}
    for named in names:
        if not DNS_LABEL.fullmatch(named.name):
            message = f"{named.name} is not a valid name of {kind}"
            remedy = "use at most 63 lower case letters, digits and hyphens"
            yield Finding("plan/name", message, named.path, remedy)
        other = taken.setdefault(named.name, named.id)
        if other != named.id:
            message = f"{other} and {named.id} would both be {kind} {named.name}"
            yield Finding("plan/alias", message, named.path, "rename one of them")


def path_findings(laid: Laid) -> Iterator[Finding]:
    """Files of a rendered plan that have two contents."""
    seen: dict[PurePosixPath, Entry] = {}
    for tree in (*laid.trees.values(), laid.added):
        for path, entry in tree.items():
            if seen.setdefault(path, entry) != entry:
                message = f"{MANIFESTS}/{path} would have two contents"
                yield Finding("plan/path", message, PLAN, "rename a step or an output file")


def place_findings(trees: Mapping[str, Tree], folders: Collection[str]) -> Iterator[Finding]:
    """Instances that write into folders of the driver."""
    for instance, tree in trees.items():
        taken = next((path.parts[0] for path in tree if path.parts[0] in folders), None)
        if taken is not None:
            message = f"instance {instance} and the driver would both write {taken}/"
            yield Finding("plan/path", message, PLAN, "use another output path")
