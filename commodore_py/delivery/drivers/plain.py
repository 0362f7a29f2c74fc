"""The driver `plain`: the plan as a list, and as numbered folders (pure)."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.delivery.findings import Finding
from commodore_py.delivery.nodes import Concurrent, Leaf, Register, Resource, Serial, steps_of
from commodore_py.delivery.normal import order_of
from commodore_py.model.tree import Entry, Tree

from .applications import GROUP, KIND, Applications
from .base import MANIFESTS, Job, Laid, union
from .documents import Documents, lifted, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.delivery.nodes import Node, Step
    from commodore_py.delivery.normal import Order

SCHEMA = "plan-order/v1"
ORDER = PurePosixPath("plan/order.json")
_FOLDER = PurePosixPath("plan")


def render(job: Job) -> Laid:
    """A list of all steps, and copies of their manifests in the order in which they are applied."""
    documents = Documents(job.deployed)
    applications = Applications(documents.of_kind(GROUP, KIND))
    objects, object_findings = lifted(job, documents)
    trees, findings = documents.result()
    last = tuple(Leaf(name) for name in job.plan.unlisted)
    parts = (*((job.plan.node,) if job.plan.node else ()), *((Concurrent(last),) if last else ()))
    node = Serial(parts)
    places = {step: _FOLDER / f"{PurePosixPath(step).name}.yaml" for step in objects}
    leaves = [step for step in steps_of(node) if isinstance(step, Leaf)]
    for leaf in leaves:
        places[leaf.id] = applications.deployed(leaf).path
    files = {places[step]: written(content) for step, content in objects.items()}
    copies = _copies(union((*trees.values(), Tree(files))), places, order_of(node))
    missing = {leaf.id for leaf in leaves if not copies.get(leaf.id)}
    wrong = [
        Finding(
            "plan/no-manifests",
            f"instance {leaf.instance} has no files in {MANIFESTS}/{places[leaf.id]}",
            leaf.path,
            "remove it from the plan",
        )
        for leaf in leaves
        if leaf.id in missing and leaf.path
    ]
    described = {
        step.id: _described(step, places, applications)
        for step in steps_of(node)
        if step.id not in missing
    }
    files[ORDER] = Entry(_list(node, described))
    return Laid(
        trees,
        Tree(files),
        (*object_findings, *findings, *wrong),
        union(copies.values()),
    )


def read_back(manifests: Tree) -> Order:
    """The order of the list."""
    content = json.loads(manifests[ORDER].content)
    return order_of(Serial(tuple(_read(entry) for entry in content["steps"])))


def _described(
    step: Step, places: Mapping[str, PurePosixPath], applications: Applications
) -> dict[str, Any]:
    if isinstance(step, Register):
        return {"register": step.cluster}
    path = f"{MANIFESTS}/{places[step.id]}" if step.id in places else ""
    if isinstance(step, Resource):
        return {"resource": step.name, "path": path}
    hooks = {
        word: list(references) for word, references in step.hooks._asdict().items() if references
    }
    return {
        "instance": step.instance,
        "path": path,
        "cluster": step.cluster,
        "namespace": applications.deployed(step).namespace,
        "hooks": {
            "beforeDelete" if word == "before_delete" else word: references
            for word, references in hooks.items()
        },
        "allowDegraded": step.allow_degraded,
    }


def _list(node: Node, described: Mapping[str, dict[str, Any]]) -> bytes:
    content = {
        "schema": SCHEMA,
        "steps": _steps(node, described, reverse=False),
        "reverse": _steps(node, described, reverse=True),
    }
    return (json.dumps(content, indent=2) + "\n").encode()


def _steps(node: Node, described: Mapping[str, dict[str, Any]], *, reverse: bool) -> list[Any]:
    """The node as a list of what happens one after the other."""
    if isinstance(node, Serial):
        children = node.children[::-1] if reverse else node.children
        return [step for child in children for step in _steps(child, described, reverse=reverse)]
    if isinstance(node, Concurrent):
        groups = [_steps(child, described, reverse=reverse) for child in node.children]
        branches = [group[0] if len(group) == 1 else {"serial": group} for group in groups if group]
        return [{"concurrent": branches}] if branches[1:] else branches
    (step,) = steps_of(node)
    return [described[step.id]] if step.id in described else []


def _read(entry: Mapping[str, Any]) -> Node:
    for word, made in (("serial", Serial), ("concurrent", Concurrent)):
        if word in entry:
            return made(tuple(_read(child) for child in entry[word]))
    if "register" in entry:
        return Register(entry["register"])
    return Resource("", (), entry["resource"]) if "resource" in entry else Leaf(entry["instance"])


def _copies(manifests: Tree, places: Mapping[str, PurePosixPath], order: Order) -> dict[str, Tree]:
    """Files of each step, in a folder whose name sorts as the plan does."""
    levels: dict[str, int] = {}
    before = order.closed()
    for step in sorted(before, key=lambda name: len(before[name])):
        levels[step] = 1 + max((levels[earlier] for earlier in order.before[step]), default=0)
    width = max(3, len(str(10 * max(levels.values(), default=0))))
    copies = {}
    for step, place in places.items():
        folder = PurePosixPath(f"{10 * levels[step]:0{width}d}-{step.replace('/', '-')}")
        entry = manifests.get(place)
        inside = Tree({PurePosixPath(place.name): entry}) if entry else manifests.subtree(place)
        copies[step] = Tree(dict(inside)).below(folder)
    return copies
