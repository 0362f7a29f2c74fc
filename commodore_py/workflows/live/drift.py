"""Find changes by others in a cluster since its applications were synced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.answers import mapping, mappings
from commodore_py.manifests.desired import managed

from .compare import diff_of
from .history import is_checked_out, synced_commits, targets_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.live.pairing import Target
    from commodore_py.manifests.desired.managed import Manager
    from commodore_py.manifests.fields import FieldChange
    from commodore_py.manifests.objects import ObjectId

    from .cluster import LiveCluster
    from .compare import LiveDiff

_SCALER = ("autoscaling", "HorizontalPodAutoscaler")
_REPLICAS = ("spec", "replicas")


@dataclass(frozen=True, slots=True)
class FieldDrift:
    """A field of a live object that is not as in the commit; its old value is the live one."""

    field: FieldChange
    managers: tuple[Manager, ...]
    cause: str
    """The controller that is known to change such a field, if any."""


@dataclass(frozen=True, slots=True)
class ObjectDrift:
    """An object that is not as in the commit, or is not there."""

    id: ObjectId
    application: str
    is_missing: bool
    fields: tuple[FieldDrift, ...] = ()


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Drift, and what could not be compared."""

    objects: tuple[ObjectDrift, ...]
    left_out: Mapping[str, str]
    """Applications that were not compared, and why."""


def drift_of(cluster: LiveCluster, compared: LiveDiff) -> DriftReport:
    """Compare each application with the commit that the driver synced last.

    Where that is the one here, only what differs from it needs to be looked at again.
    """
    commits, left_out = synced_commits(cluster)
    namespaces = {target.id.namespace for target in cluster.targets}
    object_drifts: list[ObjectDrift] = []
    changed = {object_change.id for object_change in compared.diff.objects}
    for commit in dict.fromkeys(commits.values()):
        is_here = is_checked_out(cluster.catalog, commit)
        targets = [
            target
            for target in targets_at(cluster, commit)
            if commits.get(target.application or "") == commit
            and target.id.namespace in namespaces
            and (not is_here or target.id in changed)
        ]
        object_drifts += _drifted(cluster, targets)
    return DriftReport(
        tuple(sorted(object_drifts, key=lambda object_drift: object_drift.id)), left_out
    )


def _drifted(cluster: LiveCluster, targets: Sequence[Target]) -> Iterator[ObjectDrift]:
    targets_by_id = {target.id: target for target in targets}
    for change in diff_of(cluster, targets).diff.objects:
        target = targets_by_id[change.id]
        application = target.application or ""
        if change.what == "created":
            yield ObjectDrift(change.id, application, is_missing=True)
        elif change.fields:
            live = cluster.live(target) or {}
            fields = tuple(
                FieldDrift(
                    field,
                    tuple(managed.managers_of(live, field.path)),
                    _scaler_of(cluster, change.id) if field.path == _REPLICAS else "",
                )
                for field in change.fields
            )
            yield ObjectDrift(change.id, application, is_missing=False, fields=fields)


def _scaler_of(cluster: LiveCluster, id_: ObjectId) -> str:
    """The autoscaler of a workload."""
    api = cluster.kinds.find(*_SCALER)
    if api is None:
        return ""
    try:
        answer = cluster.client.get(api.path(id_.namespace))
    except HttpError as error:
        if not error.status:
            raise
        return ""
    for autoscaler in mappings(mapping(answer).get("items")):
        spec, metadata = mapping(autoscaler.get("spec")), mapping(autoscaler.get("metadata"))
        scaled = mapping(spec.get("scaleTargetRef"))
        if (scaled.get("kind"), scaled.get("name")) == (id_.kind, id_.name):
            return f"{_SCALER[1]} {metadata.get('name')} scales it"
    return ""
