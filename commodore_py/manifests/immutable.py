"""Immutable fields of Kubernetes objects: a change needs the object to be created again (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import quantities

if TYPE_CHECKING:
    from .fields import FieldChange
    from .objects import KubeObject


@dataclass(frozen=True, slots=True)
class Fixed:
    """An immutable field with everything below it, except for some fields."""

    field: tuple[str, ...]
    except_for: tuple[tuple[str, ...], ...] = ()

    def touched_by(self, path: tuple[str, ...]) -> bool:
        """Return whether a change at the path changes this field."""
        if any(path[: len(mutable)] == mutable for mutable in self.except_for):
            return False
        shared = min(len(path), len(self.field))
        return path[:shared] == self.field[:shared]


_STORAGE = ("spec", "resources", "requests", "storage")
_RBAC = "rbac.authorization.k8s.io"


def _spec(*names: str) -> tuple[Fixed, ...]:
    return tuple(Fixed(("spec", *name.split("."))) for name in names)


def _top(*names: str) -> tuple[Fixed, ...]:
    return tuple(Fixed((name,)) for name in names)


def _spec_but(*names: str) -> tuple[Fixed, ...]:
    return (Fixed(("spec",), tuple(("spec", *name.split(".")) for name in names)),)


FIXED: dict[tuple[str, str], tuple[Fixed, ...]] = {
    ("", "PersistentVolume"): _spec_but(
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
    ),
    ("", "PersistentVolumeClaim"): _spec_but(
        "resources.requests.storage", "volumeAttributesClassName"
    ),
    ("", "Pod"): _spec_but(
        "activeDeadlineSeconds",
        "containers.image",
        "initContainers.image",
        "terminationGracePeriodSeconds",
        "tolerations",
    ),
    ("", "Secret"): _top("type"),
    ("", "Service"): _spec("clusterIP", "clusterIPs"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _spec(
        "group", "names.kind", "names.plural", "scope"
    ),
    ("apps", "DaemonSet"): _spec("selector"),
    ("apps", "Deployment"): _spec("selector"),
    ("apps", "ReplicaSet"): _spec("selector"),
    ("apps", "StatefulSet"): _spec_but(
        "minReadySeconds",
        "ordinals",
        "persistentVolumeClaimRetentionPolicy",
        "replicas",
        "revisionHistoryLimit",
        "template",
        "updateStrategy",
    ),
    ("batch", "Job"): _spec(
        "backoffLimitPerIndex",
        "completionMode",
        "completions",
        "managedBy",
        "manualSelector",
        "podFailurePolicy",
        "podReplacementPolicy",
        "selector",
        "successPolicy",
        "template",
    ),
    ("discovery.k8s.io", "EndpointSlice"): _top("addressType"),
    ("networking.k8s.io", "IngressClass"): _spec("controller"),
    ("node.k8s.io", "RuntimeClass"): _top("handler"),
    (_RBAC, "ClusterRoleBinding"): _top("roleRef"),
    (_RBAC, "RoleBinding"): _top("roleRef"),
    ("scheduling.k8s.io", "PriorityClass"): _top("preemptionPolicy", "value"),
    ("storage.k8s.io", "StorageClass"): _top(
        "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"
    ),
}
_MARKED_IMMUTABLE = {
    ("", "ConfigMap"): _top("binaryData", "data", "immutable"),
    ("", "Secret"): _top("data", "immutable", "stringData"),
}


def refused(old: KubeObject, change: FieldChange, path: tuple[str, ...]) -> str:
    """Why the API rejects a change of an object in place; empty if it does not."""
    kind = (old.id.group, old.id.kind)
    if any(fixed.touched_by(path) for fixed in FIXED.get(kind, ())):
        return "this field cannot be changed"
    if old.content.get("immutable") is True:
        marked = _MARKED_IMMUTABLE.get(kind, ())
        if any(fixed.touched_by(path) for fixed in marked):
            return "the object is marked as immutable"
    if kind == ("", "PersistentVolumeClaim") and path == _STORAGE:
        before, after = quantities.parse(change.old), quantities.parse(change.new)
        if before is not None and after is not None and after < before:
            return "a claim cannot shrink"
    return ""
