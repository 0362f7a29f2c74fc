"""Instances that conditions of a plan remove, and the objects that leave with them (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.manifests.documents import find_objects, may_hold_objects, read
from commodore_py.manifests.grades import NOTHING, of_deletion
from commodore_py.model.difference import GRADES

from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.manifests.objects import KubeObject, ObjectId
    from commodore_py.model.difference import Grade
    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Tree

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
