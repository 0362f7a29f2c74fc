"""How the applications of a catalog are doing in its cluster, and what their objects own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.manifests.health.assess import missing
from commodore_py.manifests.health.status import worst
from commodore_py.manifests.order.applications import KIND
from commodore_py.manifests.order.hooks import annotations_of, hook_facts

from .application_order import order_in, with_owners_last
from .compare import cluster_diff, drift_of
from .orphans import orphans_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.live.identity import Synced
    from commodore_py.live.marks import Target
    from commodore_py.live.objects import Record
    from commodore_py.manifests.health.status import Health, Status
    from commodore_py.manifests.objects import ObjectId

    from .application_order import ApplicationOrder
    from .cluster import LiveCluster
    from .compare import DriftReport
    from .orphans import OrphanReport


IGNORES_HEALTH = "argocd.argoproj.io/ignore-healthcheck"


@dataclass(frozen=True, slots=True)
class Assessed:
    """A target and its health; None if it cannot be read."""

    target: Target
    health: Health | None
    change: str
    """What applying it would do: `create`, `change`, or nothing; `unseen`."""

    @property
    def status(self) -> Status | None:
        """The status of its health, if there is one."""
        return self.health.status if self.health is not None else None

    @property
    def ignores_health(self) -> bool:
        """True if its health does not count."""
        return annotations_of(self.target.object.content).get(IGNORES_HEALTH) == "true"


@dataclass(frozen=True, slots=True)
class ApplicationStatus:
    """An application: what differs, and its health."""

    name: str
    objects: tuple[Assessed, ...]
    health: Status | None
    synced: Synced | None
    """What the driver says about it."""
    waits_for: tuple[str, ...] = ()
    """Those before it in the plan that are not ready."""

    def count(self, change: str) -> int:
        """How many of its objects have such a change."""
        return sum(assessed.change == change for assessed in self.objects)

    @property
    def causes(self) -> tuple[Assessed, ...]:
        """The objects that make it as unhealthy as it is."""
        if self.health in (None, "Healthy"):
            return ()
        return tuple(assessed for assessed in self.objects if assessed.status == self.health)


@dataclass(frozen=True, slots=True)
class StatusReport:
    """All applications, and what could not be read."""

    applications: tuple[ApplicationStatus, ...]
    orphans: OrphanReport
    drift: DriftReport
    unapplied: Mapping[str, int]
    """Folders that no application syncs, and how many objects they have."""
    unseen: Mapping[str, str]
    confirmed_by: str


def status_of(cluster: LiveCluster) -> StatusReport:
    """The status of every application, and what left the catalog or was changed by others."""
    compared = cluster_diff(cluster)
    changes = {object_change.id: object_change.what for object_change in compared.diff.objects}
    synced = {application.name: application for application in cluster.identity.applications}
    assessed: dict[str, list[Assessed]] = {}
    for each in assessed_in(cluster, changes):
        assessed.setdefault(each.target.application or "", []).append(each)
    order = order_in(cluster)
    applications: dict[str, ApplicationStatus] = {}
    for name in with_owners_last(order, cluster).sorted(sorted(assessed)):
        objects = tuple(assessed[name])
        waits_for = tuple(
            other
            for other in order.sorted(sorted(order.before.get(name, ())))
            if other in applications and not _is_ready(applications[other], order)
        )
        applications[name] = ApplicationStatus(
            name, objects, _overall(name, objects), synced.get(name), waits_for
        )
    return StatusReport(
        tuple(applications.values()),
        orphans_of(cluster),
        drift_of(cluster, compared),
        cluster.unapplied(),
        cluster.unseen_kinds(in_catalog=False),
        cluster.identity.confirmed_by,
    )


def _is_ready(application: ApplicationStatus, order: ApplicationOrder) -> bool:
    """Return whether those that come after it may be deployed."""
    healths = [
        None,
        "Healthy",
        *(("Degraded",) if application.name in order.may_be_degraded else ()),
    ]
    return application.health in healths and not any(each.change for each in application.objects)


def assessed_in(cluster: LiveCluster, changes: Mapping[ObjectId, str]) -> Iterator[Assessed]:
    """Every target that an application applies outside of hooks, and its health."""
    for target in cluster.targets:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue
        if cluster.unseen(target):
            yield Assessed(target, None, "unseen")
            continue
        live = cluster.live(target)
        health = missing() if live is None else cluster.health(live)
        yield Assessed(target, health, changes.get(target.id, ""))


def _overall(name: str, objects: Sequence[Assessed]) -> Status | None:
    """The worst of its objects; missing ones count only if all are."""
    statuses = [assessed.status for assessed in objects if _counts(name, assessed)]
    if statuses and all(status == "Missing" for status in statuses):
        return "Missing"
    return worst(status for status in statuses if status not in (None, "Missing"))


def _counts(name: str, assessed: Assessed) -> bool:
    target = assessed.target
    if assessed.ignores_health:
        return False
    is_child = (target.id.group, target.id.kind) == KIND
    if is_child and (target.id.name == name or assessed.status in ("Missing", "Unknown")):
        return False
    return assessed.health is not None


@dataclass(frozen=True, slots=True)
class Node:
    """An object and what it owns."""

    id: ObjectId
    health: Health | None
    inferred: bool
    """Whether its owner is inferred: the object names none."""
    unseen: str = ""
    """Why it cannot be read."""
    children: tuple[Node, ...] = ()
    seen_above: bool = False
    """Whether what it owns stands at another place of the tree."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The roots of an application, or one object."""

    name: str
    roots: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class TreeReport:
    """The trees that were asked for."""

    trees: tuple[Tree, ...]
    cycle: tuple[ObjectId, ...]
    """Objects that own themselves, in the end."""


def tree_of(cluster: LiveCluster, root: str = "") -> TreeReport:
    """The tree of an application or object, or those of all applications."""
    ids_by_application: dict[str, list[ObjectId]] = {}
    for target in cluster.targets:
        if target.application is not None and root in ("", target.application):
            ids_by_application.setdefault(target.application, []).append(target.id)
    if root and not ids_by_application:
        ids_by_application[root] = [_named(cluster, root)]
    objects = cluster.seen.objects
    trees = []
    for name, ids in sorted(ids_by_application.items()):
        done: set[str] = set()
        nodes = tuple(_node(cluster, id_, objects.children, done) for id_ in sorted(ids))
        trees.append(Tree(name, nodes))
    return TreeReport(tuple(trees), objects.cycle())


def _node(
    cluster: LiveCluster,
    id_: ObjectId,
    children: Mapping[str, tuple[Record, ...]],
    done: set[str],
    *,
    inferred: bool = False,
) -> Node:
    record = cluster.seen.get(id_)
    if record is None:
        why = cluster.seen.why_unseen(id_.group, id_.kind, id_.namespace)
        return Node(id_, None if why else missing(), inferred, why)
    health = None if record.manifest is None else cluster.health(record.manifest)
    owned = children.get(record.uid, ())
    if record.uid in done:
        return Node(id_, health, inferred, seen_above=bool(owned))
    done.add(record.uid)
    nodes = (
        _node(cluster, child.id, children, done, inferred=record.uid not in child.owners)
        for child in owned
    )
    return Node(id_, health, inferred, children=tuple(nodes))


def _named(cluster: LiveCluster, root: str) -> ObjectId:
    """`Kind/namespace/name`, or `Kind/name`."""
    kind, _, rest = root.partition("/")
    namespace, _, name = rest.rpartition("/")
    object_ids = [
        record.id
        for record in cluster.seen.objects.all()
        if record.id.kind.lower() == kind.lower()
        and record.id.name == name
        and record.id.namespace == namespace
    ]
    if not object_ids or not name:
        names = sorted({target.application for target in cluster.targets if target.application})
        raise CommodoreError(
            f"there is no application and no object {root} in the cluster",
            hint="name an object as Kind/namespace/name;"
            f" applications: {', '.join(names) or 'none'}",
        )
    return object_ids[0]
