"""The plan of a compile: the inventory without what it removes, and the catalog with its order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.tree import Tree

from .drivers.argocd import pins
from .drivers.base import Job, Laid, union
from .drivers.names import path_findings
from .drivers.table import DRIVERS
from .findings import Finding, valid
from .plan import read_plan
from .reading import PLAN
from .removed import leaving, removed_findings
from .settings import DELIVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.model.inventory import Instance, Inventory
    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import PlaceOf

    from .plan import Plan


@dataclass(frozen=True, slots=True)
class PlannedTrees:
    """Files of instances and drivers in the catalog; paths are below `manifests/`."""

    instances: Mapping[str, Tree]
    added: Tree
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """The plan of the cluster that is compiled."""

    plan: Plan
    problems: tuple[Problem, ...]
    place_of: PlaceOf

    @classmethod
    def of(
        cls, inventory: Inventory, requires: Mapping[Instance, object], place_of: PlaceOf
    ) -> ClusterPlan:
        """Read it; one error for everything that is wrong with it."""
        required = {
            instance.name: [str(name) for name in given] if isinstance(given, dict) else ()
            for instance, given in requires.items()
        }
        plan, findings = read_plan(inventory.bootstrap.parameters, inventory.instances, required)
        problems = valid((*findings, *_other_plans(inventory)), place_of)
        assert plan is not None  # noqa: S101 - otherwise there is an error
        return cls(plan, problems, place_of)

    def kept(self, inventory: Inventory) -> Inventory:
        """The inventory without the instances that are removed; others still see their targets."""
        removed = {item.leaf.instance for item in self.plan.removed}
        instances = tuple(
            instance for instance in inventory.instances if instance.name not in removed
        )
        return replace(inventory, instances=instances)

    def with_references(self, inventory: Inventory) -> Inventory:
        """The inventory for secret references: what is removed needs none."""
        kept = self.kept(inventory)
        keys = {instance.component_key for instance in kept.instances}
        gone = {instance.component_key for instance in inventory.instances} - keys
        bootstrap = inventory.bootstrap
        parameters = {key: value for key, value in bootstrap.parameters.items() if key not in gone}
        nodes = {**kept.nodes, BOOTSTRAP: replace(bootstrap, parameters=parameters)}
        return replace(kept, nodes=nodes)

    @property
    def has_pins(self) -> bool:
        """True if Applications are pinned to commits."""
        settings = self.plan.settings
        return "argocd" in settings.drivers and settings.word("argocd", "gate") == "update"

    def lay_out(
        self,
        trees: Mapping[str, Tree],
        head: Tree,
        complete: Callable[[Any], Any],
        lost: Callable[[str], bool],
        *,
        pushed: bool,
    ) -> PlannedTrees:
        """The instances' trees with the order of the plan, and the files of all its drivers.

        `lost` says whether a commit cannot be reached in the published branch; what is `pushed`
        is pinned by the same run.
        """
        job = Job(self.plan, trees, complete, head)
        laid = combined(
            trees, [DRIVERS[driver].render(job) for driver in self.plan.settings.drivers]
        )
        contents = (entry.content for tree in trees.values() for entry in tree.values())
        removed = removed_findings(leaving(self.plan, head, contents))
        findings = [*removed, *laid.findings, *path_findings(laid)]
        instances, added = dict(laid.trees), laid.added
        if self.has_pins:
            given = pins.pins_in(head)
            kept = {name: pin for name, pin in given.items() if not lost(pin.commit)}
            if gone := ", ".join(sorted(given.keys() - kept.keys())):
                message = f"the commits of these Applications are not in the branch: {gone}"
                findings.append(Finding("plan/pin-lost", message, PLAN, "they are pinned again"))
            instances = pins.carried(instances, kept)
            added = pins.carried({"": added}, kept)[""]
        manifests = union((*instances.values(), added))
        names = pins.outdated(manifests) if self.has_pins and not pushed else ()
        if names:
            message = f"pinned by the next push: {', '.join(names)}"
            findings.append(Finding("plan/pinned-later", message, (*DELIVERY, "argocd", "gate")))
        return PlannedTrees(instances, added, valid(findings, self.place_of))

    def pinned(self, manifests: Tree, commit: str) -> Tree:
        """The manifests, with Applications pinned to the commit that has their content."""
        return pins.repinned(manifests, commit) if self.has_pins else manifests


def combined(trees: Mapping[str, Tree], every: Iterable[Laid]) -> Laid:
    """Apply several drivers to the same trees; they may not change one file in two ways."""
    result: Laid | None = None
    for laid in every:
        if result is None:
            result = laid
            continue
        findings = [*result.findings, *laid.findings]
        edited = {}
        for name, tree in result.trees.items():
            files = dict(tree)
            for path in {*trees[name], *laid.trees[name]}:
                before, other = trees[name].get(path), laid.trees[name].get(path)
                if other == before or other == files.get(path):
                    continue
                if files.get(path) != before:
                    message = f"two drivers change {path} of instance {name}"
                    findings.append(Finding("plan/path", message, PLAN, "use one driver"))
                elif other is None:
                    del files[path]
                else:
                    files[path] = other
            edited[name] = Tree(files, tree.empty_folders)
        for path in result.added.keys() & laid.added.keys():
            if result.added[path] != laid.added[path]:
                message = f"two drivers write {path}"
                findings.append(Finding("plan/path", message, PLAN, "use one driver"))
        result = Laid(edited, result.added | laid.added, tuple(findings))
    assert result is not None  # noqa: S101 - the settings have at least one
    return result


def _other_plans(inventory: Inventory) -> Iterator[Finding]:
    """Instances whose own target has another plan, which is not the one that counts."""

    def plan_of(target: str) -> object:
        commodore = inventory.nodes[target].parameters.get("commodore")
        return commodore.get("plan") if isinstance(commodore, dict) else None

    plan_of_cluster = plan_of(BOOTSTRAP)
    names = [
        instance.name
        for instance in inventory.instances
        if plan_of(instance.name) != plan_of_cluster
    ]
    if names:
        message = f"these instances see another plan: {', '.join(names)}"
        remedy = "write the plan without references to the instance: only the cluster's own counts"
        yield Finding("plan/other-target", message, PLAN, remedy)
