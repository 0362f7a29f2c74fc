"""A plan with its settings: read, checked, and in normal form (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import TYPE_CHECKING

from commodore_py.model.problems.codes import severity_of

from . import conditions
from .findings import Finding, near
from .nodes import Leaf, On, Resource, When, steps_of, walk
from .normal import Order, Removed, normal_form, order_of, without_false
from .reading import PLAN, Reader
from .settings import DELIVERY, Settings, credential_findings, settings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from commodore_py.model.inventory import Instance, Parameters

    from .nodes import Node


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a cluster."""

    written: Node
    node: Node | None
    """The normal form; None if every instance is removed."""
    removed: tuple[Removed, ...]
    unlisted: tuple[str, ...]
    settings: Settings

    @property
    def order(self) -> Order:
        """The order of everything that is deployed; unlisted instances are the last."""
        return order_of(self.node, self.unlisted)


def read_plan(
    parameters: Parameters,
    instances: tuple[Instance, ...],
    requires: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> tuple[Plan | None, tuple[Finding, ...]]:
    """The plan of the cluster, if it is valid, and everything that is wrong or noteworthy.

    `requires` has, by instance, the components that its own requires.
    """
    commodore = parameters.get("commodore", {})
    reader = Reader()
    written = reader.node(commodore.get("plan"))
    settings, wrong = settings_of(commodore.get("delivery"))
    findings = [*reader.findings, *wrong]
    if written is None:
        return None, tuple(findings)
    findings += [
        *_conditions(written, parameters),
        *_instances(written, instances),
        *_clusters(written, settings),
    ]
    if any(severity_of(finding.code) == "error" for finding in findings):
        return None, tuple(findings)
    node, removed = without_false(written, parameters)
    listed = {node.instance for node in walk(written) if isinstance(node, Leaf)}
    unlisted = tuple(sorted({instance.name for instance in instances} - listed))
    plan = Plan(written, normal_form(node) if node else None, removed, unlisted, settings)
    off = {item.leaf.instance for item in removed}
    findings += _about(plan)
    findings += requirement_findings(plan.node, plan.order, off, instances, requires)
    refused = any(severity_of(finding.code) == "error" for finding in findings)
    return (None if refused else plan), tuple(findings)


def _conditions(node: Node, parameters: Parameters) -> Iterator[Finding]:
    for inner in walk(node):
        if isinstance(inner, When):
            path = (*inner.path, "when", "if")
            yield from conditions.evaluate(inner.condition, parameters, path)[1]


def _instances(node: Node, instances: tuple[Instance, ...]) -> Iterator[Finding]:
    names = {instance.name for instance in instances}
    first: dict[str, Leaf] = {}
    for inner in walk(node):
        if isinstance(inner, Resource) and inner.reference.partition("/")[0] not in names:
            name = inner.reference.partition("/")[0]
            yield Finding(
                "plan/unknown-instance", f"{name} is not an instance", inner.path, near(name, names)
            )
        if not isinstance(inner, Leaf):
            continue
        if inner.instance not in names:
            under = [
                instance.name for instance in instances if instance.component == inner.instance
            ]
            remedy = (
                f"its instances are: {', '.join(under)}" if under else near(inner.instance, names)
            )
            message = f"{inner.instance} is not an instance of this cluster"
            yield Finding("plan/unknown-instance", message, inner.path, remedy)
        elif inner.instance in first:
            message = f"instance {inner.instance} is in the plan twice"
            remedy = "name it once; two clusters need two instances"
            yield Finding("plan/twice", message, inner.path, remedy, first[inner.instance].path)
        first.setdefault(inner.instance, inner)


def _clusters(node: Node, settings: Settings) -> Iterator[Finding]:
    used = [inner for inner in walk(node) if isinstance(inner, On)]
    for inner in used:
        if inner.cluster not in settings.clusters:
            path = (*inner.path, "on", "cluster")
            message = f"{inner.cluster} is not a cluster of commodore.delivery.clusters"
            yield Finding(
                "plan/unknown-cluster", message, path, near(inner.cluster, settings.clusters)
            )
    for name, cluster in settings.clusters.items():
        yield from credential_findings(cluster)
        if name not in {inner.cluster for inner in used}:
            path = (*DELIVERY, "clusters", name)
            yield Finding("plan/unused-cluster", f"the plan never uses cluster {name}", path)


def _about(plan: Plan) -> Iterator[Finding]:
    if plan.node is None:
        message = "every instance of the plan is removed by a condition"
        if not plan.unlisted:
            yield Finding("plan/nothing-left", f"{message}: the catalog would be empty", PLAN)
    if plan.unlisted:
        names = ", ".join(plan.unlisted)
        remedy = "name them in the plan, or set commodore.delivery.unlisted to last"
        if plan.settings.word("unlisted") == "error":
            yield Finding("plan/unlisted-refused", f"not in the plan: {names}", PLAN, remedy)
        elif not plan.settings.unlisted_is_set:
            yield Finding("plan/unlisted", f"not in the plan, so the last: {names}", PLAN, remedy)


_REMEDY = "change the plan, or what the component requires"


def requirement_findings(
    node: Node | None,
    order: Order,
    removed: Collection[str],
    instances: Iterable[Instance],
    requires: Mapping[str, Iterable[str]],
) -> Iterator[Finding]:
    """Requirements that the plan removes, contradicts, or leaves without an order.

    `requires` has the components by instance. Of several instances of a component, one is enough;
    those that are not deployed at all are reported without a plan, too.
    """
    components: dict[str, list[str]] = {}
    for instance in instances:
        components.setdefault(instance.component, []).append(instance.name)
    leaves = {step.instance: step for step in steps_of(node) if isinstance(step, Leaf)}
    closed = order.closed()
    edges = {step: set(before) for step, before in order.before.items()}
    required = {(name, component) for name in requires for component in requires[name]}
    for name, component in sorted(required):
        candidates = sorted({*components.get(component, ())} - {name})
        if name in removed or not candidates:
            continue
        path = leaves[name].path if name in leaves else PLAN
        what = f"instance {name} requires {component}"
        kept = [candidate for candidate in candidates if candidate not in removed]
        if not kept:
            message = f"{what}, which the plan removes"
            yield Finding("plan/requires-removed", message, path, "remove both, or none")
        elif all(name in closed[candidate] for candidate in kept):
            yield Finding("plan/requires", f"{what}, which comes later", path, _REMEDY)
        else:
            if len(kept) == 1:
                edges[name].add(kept[0])
            listed = name in leaves or any(candidate in leaves for candidate in kept)
            if listed and not closed[name].intersection(kept):
                message = f"{what}, and the plan has no order for them"
                yield Finding("plan/requires-unordered", message, path, "write them in a serial")
    cycle = _cycle(edges)
    if cycle:
        message = f"the plan and what components require form a cycle: {' before '.join(cycle)}"
        yield Finding("plan/requires", message, PLAN, _REMEDY)


def _cycle(before: Mapping[str, set[str]]) -> tuple[str, ...]:
    """Steps of which each is before the next, the first again at the end; empty without any."""
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()
