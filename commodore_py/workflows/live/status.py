"""How the applications of a catalog are doing in its cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.health.assess import missing
from commodore_py.manifests.health.status import worst
from commodore_py.manifests.order.hooks import annotations_of, hook_facts

from .application_order import order_in, with_owners_last
from .compare import cluster_diff
from .drift import drift_of
from .orphans import orphans_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.live.identity import Synced
    from commodore_py.live.pairing import Target
    from commodore_py.manifests.health.status import Health, Status
    from commodore_py.manifests.objects import ObjectId

    from .application_order import ApplicationOrder
    from .cluster import LiveCluster
    from .drift import DriftReport
    from .orphans import OrphanReport

IGNORES_HEALTH = "argocd.argoproj.io/ignore-healthcheck"
_APPLICATION = ("argoproj.io", "Application")


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
            name, objects, _health(name, objects), synced.get(name), waits_for
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


def _health(name: str, objects: Sequence[Assessed]) -> Status | None:
    """The worst of its objects; missing ones count only if all are."""
    statuses = [assessed.status for assessed in objects if _counts(name, assessed)]
    if statuses and all(status == "Missing" for status in statuses):
        return "Missing"
    return worst(status for status in statuses if status not in (None, "Missing"))


def _counts(name: str, assessed: Assessed) -> bool:
    target = assessed.target
    if assessed.ignores_health:
        return False
    is_child = (target.id.group, target.id.kind) == _APPLICATION
    if is_child and (target.id.name == name or assessed.status in ("Missing", "Unknown")):
        return False
    return assessed.health is not None
