"""The plan of a compile: what it removes, and the catalog with its order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.documents import find_objects, may_hold_objects, read
from commodore_py.manifests.grades import NOTHING, of_deletion
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.tree import Tree

from .drivers.argocd.reading import carried, outdated, pins_in, repinned
from .drivers.base import Job, Laid, path_findings, union
from .drivers.table import DRIVERS
from .findings import Finding, valid
from .plan import read_plan
from .reading import PLAN
from .settings import DELIVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.manifests.objects import KubeObject, ObjectId
    from commodore_py.model.difference import Grade
    from commodore_py.model.inventory import Instance, Inventory
    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import ParameterPath, PlaceOf

    from .plan import Plan


@dataclass(frozen=True, slots=True)
class Leaving:
    """An instance that is removed, and its published objects."""

    instance: str
    path: ParameterPath
    """The condition."""
    objects: int = 0
    grade: Grade = "none"
    """Of the worst deletion."""
    reason: str = ""
    """What is deleted in the worst case."""

    @property
    def effect(self) -> str:
        """How many objects leave, and what that does; empty if none is published."""
        if not self.objects:
            return ""
        what = "1 object leaves" if self.objects == 1 else f"{self.objects} objects leave"
        grade = f"{self.grade}: {self.reason}" if self.reason else self.grade
        return f"{what} the catalog" + (f" ({grade})" if grade != "none" else "")


def leaving(plan: Plan, published: Tree, kept: Iterable[bytes] = ()) -> tuple[Leaving, ...]:
    """The removed instances, with what the folders of each have published.

    Objects that a file of the catalog has from now on, which are `kept`, do not leave.
    """
    if not plan.removed:
        return ()
    inside: dict[str, dict[ObjectId, KubeObject]] = {}
    for removed in plan.removed:
        files = published.subtree(PurePosixPath(removed.leaf.instance)).items()
        contents = (read(e.content, str(p)) for p, e in files if may_hold_objects(str(p)))
        objects = (
            kube_object for content in contents if content for kube_object in content.objects
        )
        inside[removed.leaf.instance] = {kube_object.id: kube_object for kube_object in objects}
    staying = find_objects(kept, {id_ for objects in inside.values() for id_ in objects})
    result = []
    for removed in plan.removed:
        gone = [
            inside_object
            for id_, inside_object in inside[removed.leaf.instance].items()
            if id_ not in staying
        ]
        verdicts = [(of_deletion(kube_object), kube_object) for kube_object in gone]
        worst = min(verdicts, key=lambda pair: GRADES.index(pair[0][0]), default=None)
        (grade, why), kube_object = worst if worst is not None else (NOTHING, None)
        reason = f"{kube_object.id}: {why}" if kube_object is not None and why else ""
        path = (*removed.when.path, "when", "if")
        result.append(Leaving(removed.leaf.instance, path, len(gone), grade, reason))
    return tuple(result)


def removed_findings(instances: Iterable[Leaving]) -> Iterator[Finding]:
    """A finding for each removed instance."""
    for removed in instances:
        message = f"instance {removed.instance} is removed: its condition is false"
        effect = f"; {removed.effect}" if removed.effect else ""
        yield Finding("plan/removed", f"{message}{effect}", removed.path)


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
            given = pins_in(head)
            kept = {name: pin for name, pin in given.items() if not lost(pin.commit)}
            if gone := ", ".join(sorted(given.keys() - kept.keys())):
                message = f"the commits of these Applications are not in the branch: {gone}"
                findings.append(Finding("plan/pin-lost", message, PLAN, "they are pinned again"))
            instances = carried(instances, kept)
            added = carried({"": added}, kept)[""]
        manifests = union((*instances.values(), added))
        names = outdated(manifests) if self.has_pins and not pushed else ()
        if names:
            message = f"pinned by the next push: {', '.join(names)}"
            findings.append(Finding("plan/pinned-later", message, (*DELIVERY, "argocd", "gate")))
        return PlannedTrees(instances, added, valid(findings, self.place_of))

    def pinned(self, manifests: Tree, commit: str) -> Tree:
        """The manifests, with Applications pinned to the commit that has their content."""
        return repinned(manifests, commit) if self.has_pins else manifests


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
