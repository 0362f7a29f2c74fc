"""Grade changes by what they do to a running cluster, as far as objects show it (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.difference import GRADES, Grade

from . import immutable, quantities
from .objects import value_in
from .order.hooks import sync_options
from .order.kinds import CRD
from .paths import Item, names

if TYPE_CHECKING:
    from .fields import FieldChange
    from .objects import KubeObject

Verdict: TypeAlias = tuple[Grade, str]

NOTHING: Verdict = ("none", "")

_DATA: dict[tuple[str, str], str] = {
    ("", "Namespace"): "everything in it is deleted",
    ("", "PersistentVolume"): "its data may be deleted",
    ("", "PersistentVolumeClaim"): "its data may be deleted",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "all objects of its kind are deleted",
    ("snapshot.storage.k8s.io", "VolumeSnapshot"): "the snapshot may be deleted",
    ("snapshot.storage.k8s.io", "VolumeSnapshotContent"): "the snapshot may be deleted",
}
_PODS = "its pods are deleted"
_TRAFFIC = "it no longer routes traffic"
_ACCESS = "its users lose access"
_SERVING: dict[tuple[str, str], str] = {
    ("", "Endpoints"): _TRAFFIC,
    ("", "Pod"): _PODS,
    ("", "ReplicationController"): _PODS,
    ("", "Service"): _TRAFFIC,
    ("", "ServiceAccount"): _ACCESS,
    ("apiregistration.k8s.io", "APIService"): "its API is removed",
    ("apps", "DaemonSet"): _PODS,
    ("apps", "Deployment"): _PODS,
    ("apps", "ReplicaSet"): _PODS,
    ("apps", "StatefulSet"): _PODS,
    ("apps.openshift.io", "DeploymentConfig"): _PODS,
    ("argoproj.io", "Application"): "what it deploys may be deleted",
    ("discovery.k8s.io", "EndpointSlice"): _TRAFFIC,
    ("gateway.networking.k8s.io", "Gateway"): _TRAFFIC,
    ("gateway.networking.k8s.io", "HTTPRoute"): _TRAFFIC,
    ("networking.k8s.io", "Ingress"): _TRAFFIC,
    ("rbac.authorization.k8s.io", "ClusterRole"): _ACCESS,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _ACCESS,
    ("rbac.authorization.k8s.io", "Role"): _ACCESS,
    ("rbac.authorization.k8s.io", "RoleBinding"): _ACCESS,
    ("route.openshift.io", "Route"): _TRAFFIC,
    ("storage.k8s.io", "StorageClass"): "claims that name it get no volume",
}
# Kinds that replace their pods when the template changes. A CronJob creates new ones at its next
# run, a ReplicaSet when the old ones are deleted.
_ROLLING = frozenset(
    {("apps", "DaemonSet"), ("apps", "Deployment"), ("apps", "StatefulSet")}
    | {("apps.openshift.io", "DeploymentConfig")}
)
_SCALED = frozenset(
    {*_ROLLING, ("apps", "ReplicaSet"), ("", "ReplicationController")} - {("apps", "DaemonSet")}
)
_STATEFUL_SET = ("apps", "StatefulSet")


def worst(grades: list[Grade]) -> Grade:
    """The worst of some grades; `none` if there are none."""
    return min(grades, key=GRADES.index, default="none")


def of_deletion(deleted: KubeObject) -> Verdict:
    """Grade the deletion of an object."""
    kind = (deleted.id.group, deleted.id.kind)
    if "Prune=false" in sync_options(deleted.content):
        return "none", "it stays on the cluster: Prune=false"
    if kind in _DATA:
        return "data-loss", _DATA[kind]
    if kind == _STATEFUL_SET and value_in(deleted.content, "spec", "volumeClaimTemplates"):
        retention = ("spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted")
        if value_in(deleted.content, *retention) == "Delete":
            return "data-loss", "its claims are deleted with it"
    return ("outage", _SERVING[kind]) if kind in _SERVING else NOTHING


def of_field(change: FieldChange, old: KubeObject, new: KubeObject) -> Verdict:
    """Grade the change of a field."""
    kind, path = (old.id.group, old.id.kind), names(change.path)
    if reason := immutable.refused(old, change, path):
        return "recreate", reason
    if reason := _outage(kind, path, change):
        return "outage", reason
    return _restart(kind, path, new)


def _restart(kind: tuple[str, str], path: tuple[str, ...], new: KubeObject) -> Verdict:
    if kind == ("", "Pod") and path[:1] == ("spec",):
        return "restart", "its containers restart"
    if (
        kind in _ROLLING
        and path[:2] == ("spec", "template")
        and value_in(new.content, "spec", "updateStrategy", "type") != "OnDelete"
    ):
        return "restart", "its pods restart"
    return NOTHING


def _outage(kind: tuple[str, str], path: tuple[str, ...], change: FieldChange) -> str:
    if kind == ("", "Service"):
        if path[:2] == ("spec", "selector"):
            return "it selects other pods"
        if path == ("spec", "ports") and change.happened == "removed":
            return "this port no longer responds"
    elif kind in _SCALED:
        if (
            path == ("spec", "replicas")
            and change.happened != "removed"
            and (quantities.parse(change.new) == 0)
        ):
            return "no pods remain"
    elif kind == ("networking.k8s.io", "Ingress"):
        rule_gone = path in {("spec", "rules"), ("spec", "rules", "http", "paths")}
        if rule_gone and change.happened == "removed":
            return _TRAFFIC
    elif kind == CRD:
        unserved = path == ("spec", "versions", "served") and change.new is False
        removed = path == ("spec", "versions") and change.happened == "removed"
        if unserved or (removed and isinstance(change.path[-1], Item)):
            return "this version is no longer served"
    return ""
