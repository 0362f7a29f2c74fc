"""Which applications wait for which others: by the plan, as the catalog has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import files
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.delivery.drivers import argocd
from commodore_py.delivery.drivers.applications import below_manifests, step_of
from commodore_py.delivery.drivers.argocd.edits import GATE
from commodore_py.delivery.normal import Order
from commodore_py.manifests.order.applications import KIND
from commodore_py.manifests.order.hooks import annotations_of
from commodore_py.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .cluster import LiveCluster

_GROUP = KIND[0]
_MAY_BE_DEGRADED = "degraded-ok"


@dataclass(frozen=True, slots=True)
class ApplicationOrder:
    """A partial order of applications."""

    before: Mapping[str, frozenset[str]]
    """By application, all that have to be ready before it."""
    may_be_degraded: frozenset[str]
    """Those that others may follow although they are degraded."""

    def sorted(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names, each after those before it, otherwise as they are given."""
        return tuple(sorted(names, key=lambda name: len(self.before.get(name, ()))))


def order_in(cluster: LiveCluster) -> ApplicationOrder:
    """The order of the plan."""
    steps = {
        step_of(application.name, below_manifests(path)): application.name
        for application, _ in cluster.assigned.applications
        for path in (*application.paths, *application.flat)[:1]
    }
    folder = cluster.catalog / MANIFESTS
    manifests = files.read_tree(folder) if folder.is_dir() else Tree()
    closed = argocd.read_back(manifests).closed()
    before = {
        name: frozenset(steps[predecessor] for predecessor in closed[step] if predecessor in steps)
        - {name}
        for step, name in steps.items()
        if step in closed
    }
    for group, members in _held(cluster).items():
        starts = [before[name] for name in members if name in before]
        if starts and group not in before:  # it starts when the first of its members may
            before[group] = frozenset.intersection(*starts)
    gates = {
        target.id.name: annotations_of(target.object.content).get(GATE)
        for target in cluster.all_targets
        if (target.id.group, target.id.kind) == KIND
    }
    degraded = (name for name, gate in gates.items() if gate == _MAY_BE_DEGRADED)
    return ApplicationOrder(before, frozenset(degraded))


def with_owners_last(order: ApplicationOrder, cluster: LiveCluster) -> ApplicationOrder:
    """Order applications, those that only hold others after all that they hold.

    So Argo CD takes over what is deployed, instead of deploying it in another order.
    """
    only = {
        application.name
        for application, objects in cluster.assigned.applications
        if all(of.id.group == _GROUP for of in objects)
    }
    held = {name: members for name, members in _held(cluster).items() if name in only}
    others = {
        application.name
        for application, _ in cluster.assigned.applications
        if application.name not in held
        and held.keys().isdisjoint(order.before.get(application.name, ()))
    }
    below = Order({name: frozenset(members) for name, members in held.items()}).closed()
    before = {name: order.before[name] for name in order.before if name not in held}
    for name in held:  # those that hold each other do not wait for each other
        owned = (member for member in below[name] if member in held and name not in below[member])
        before[name] = frozenset((*others, *owned))
    return ApplicationOrder(before, order.may_be_degraded)


def _held(cluster: LiveCluster) -> dict[str, set[str]]:
    """The applications that others hold, by their name."""
    held: dict[str, set[str]] = {}
    for application, objects in cluster.assigned.applications:
        names = {of.id.name for of in objects if (of.id.group, of.id.kind) == KIND}
        if names:
            held[application.name] = names
    return held
