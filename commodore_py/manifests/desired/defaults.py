"""What the API server fills in: zero values that are not stored, and defaults of fields (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests import quantities

from . import schema
from .schema import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_Value: TypeAlias = Any

_TCP = {"protocol": "TCP"}
_MODE = {"defaultMode": 420}
_HISTORY = {"revisionHistoryLimit": 10}
_RETAINED = {"whenDeleted": "Retain", "whenScaled": "Retain"}
_CONTAINER = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_WEBHOOK = {
    "failurePolicy": "Fail",
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "timeoutSeconds": 10,
}

# By type; of all versions, for the names of their fields are the same.
DEFAULTS: Mapping[str, Mapping[str, _Value]] = {
    "ConfigMapVolumeSource": _MODE,
    "Container": _CONTAINER,
    "ContainerPort": _TCP,
    "CronJobSpec": {
        "concurrencyPolicy": "Allow",
        "failedJobsHistoryLimit": 1,
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
    },
    "DaemonSetSpec": _HISTORY,
    "DeploymentSpec": {**_HISTORY, "progressDeadlineSeconds": 600, "replicas": 1},
    "DownwardAPIVolumeSource": _MODE,
    "EphemeralContainer": _CONTAINER,
    "HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "HostPathVolumeSource": {"type": ""},
    "MutatingWebhook": {**_WEBHOOK, "reinvocationPolicy": "Never"},
    "NetworkPolicyPort": _TCP,
    "ObjectFieldSelector": {"apiVersion": "v1"},
    "PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    "Probe": {
        "failureThreshold": 3,
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    },
    "ProjectedVolumeSource": _MODE,
    "ReplicaSetSpec": {"replicas": 1},
    "Secret": {"type": "Opaque"},
    "SecretVolumeSource": _MODE,
    "ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "ServicePort": _TCP,
    "ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "StatefulSetPersistentVolumeClaimRetentionPolicy": _RETAINED,
    "StatefulSetSpec": {
        **_HISTORY,
        "persistentVolumeClaimRetentionPolicy": _RETAINED,
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
    },
    "ValidatingWebhook": _WEBHOOK,
}
_STRATEGIES: Mapping[str, tuple[str, Mapping[str, _Value]]] = {
    "DaemonSetSpec": ("updateStrategy", {"maxSurge": 0, "maxUnavailable": 1}),
    "DeploymentSpec": ("strategy", {"maxSurge": "25%", "maxUnavailable": "25%"}),
    "StatefulSetSpec": ("updateStrategy", {"partition": 0}),
}
_ROLLING = "RollingUpdate"
_RBAC = "rbac.authorization.k8s.io"


def cleaned(value: _Value, type_name: str) -> _Value:
    """A value as Kubernetes stores it: without zeros, quantities in one form."""
    return _walked(value, Field(type_name), _cleaned)


def completed(value: _Value, type_name: str) -> _Value:
    """A value with the defaults of its fields."""
    return _walked(value, Field(type_name), _completed)


def _walked(
    value: _Value, field: Field, change: Callable[[dict[str, _Value], str], dict[str, _Value]]
) -> _Value:
    if not field.type and not field.scalar:
        return value  # nothing is known about it, nor about what is in it
    if isinstance(value, dict):
        if field.is_map or not field.type:
            inner = schema.item_of(field) if field.is_map else Field()
            return {key: _walked(one, inner, change) for key, one in value.items()}
        return {
            name: _walked(one, schema.field_of(field.type, name), change)
            for name, one in change(value, field.type).items()
        }
    if isinstance(value, list):
        inner = schema.item_of(field)
        return [_walked(one, inner, change) for one in value]
    return _quantity(value) if field.scalar == "q" else value


def _cleaned(value: dict[str, _Value], type_name: str) -> dict[str, _Value]:
    return {
        name: one
        for name, one in value.items()
        if not (
            one is None
            or (
                schema.field_of(type_name, name).omits_zero
                and (not one and isinstance(one, bool | str | int | float | list | dict))
            )
        )
    }


def _completed(value: dict[str, _Value], type_name: str) -> dict[str, _Value]:
    found = dict(value)
    short = type_name.partition("_")[0]
    for name, default in DEFAULTS.get(short, {}).items():
        found.setdefault(name, default)
    if more := _MORE.get(short):
        more(found)
    return found


def _quantity(value: _Value) -> _Value:
    number = quantities.parse(value)
    return value if number is None else f"{number}"


def _strategy(found: dict[str, _Value], type_name: str) -> None:
    name, limits = _STRATEGIES[type_name]
    strategy = found.get(name, {})
    if not isinstance(strategy, dict):
        return
    strategy = {"type": _ROLLING, **strategy}
    rolling = strategy.get("rollingUpdate", {})
    if strategy["type"] == _ROLLING and isinstance(rolling, dict):
        strategy["rollingUpdate"] = {**limits, **rolling}
    found[name] = strategy


def _stateful_set(found: dict[str, _Value]) -> None:
    _strategy(found, "StatefulSetSpec")
    templates = found.get("volumeClaimTemplates")
    if isinstance(templates, list):
        found["volumeClaimTemplates"] = [_without_status(one) for one in templates]


def _without_status(template: _Value) -> _Value:
    if not isinstance(template, dict):
        return template
    return {name: one for name, one in template.items() if name != "status"}


def _container(found: dict[str, _Value]) -> None:
    image = found.get("image")
    if "imagePullPolicy" not in found and isinstance(image, str):
        name = image.partition("@")[0].rpartition("/")[2]
        tag = name.partition(":")[2]
        is_pinned = "@" in image or tag not in ("", "latest")
        found["imagePullPolicy"] = "IfNotPresent" if is_pinned else "Always"


def _service_port(found: dict[str, _Value]) -> None:
    if "targetPort" not in found and "port" in found:
        found["targetPort"] = found["port"]


def _resources(found: dict[str, _Value]) -> None:
    limits = found.get("limits")
    if isinstance(limits, dict) and isinstance(found.get("requests", {}), dict):
        found["requests"] = {**limits, **found.get("requests", {})}


def _job(found: dict[str, _Value]) -> None:
    if "completions" not in found and "parallelism" not in found:
        found["completions"] = 1
    for name, default in (
        *(("parallelism", 1), ("backoffLimit", 6), ("completionMode", "NonIndexed")),
        *(("suspend", False),),
    ):
        found.setdefault(name, default)


def _volume(found: dict[str, _Value]) -> None:
    if set(found) <= {"name"}:
        found["emptyDir"] = {}


def _network_policy(found: dict[str, _Value]) -> None:
    types = ["Ingress", "Egress"] if found.get("egress") else ["Ingress"]
    if not found.get("policyTypes"):
        found["policyTypes"] = types


def _service(found: dict[str, _Value]) -> None:
    if found.get("type") in ("ClusterIP", "LoadBalancer", "NodePort"):
        found.setdefault("internalTrafficPolicy", "Cluster")
    if found.get("type") in ("LoadBalancer", "NodePort"):
        found.setdefault("externalTrafficPolicy", "Cluster")


def _subject(found: dict[str, _Value]) -> None:
    kind = found.get("kind")
    if "apiGroup" not in found and kind in ("User", "Group"):
        found["apiGroup"] = _RBAC


def _role_ref(found: dict[str, _Value]) -> None:
    found.setdefault("apiGroup", _RBAC)


_MORE: Mapping[str, Callable[[dict[str, _Value]], None]] = {
    "Container": _container,
    "DaemonSetSpec": lambda found: _strategy(found, "DaemonSetSpec"),
    "DeploymentSpec": lambda found: _strategy(found, "DeploymentSpec"),
    "EphemeralContainer": _container,
    "JobSpec": _job,
    "NetworkPolicySpec": _network_policy,
    "ResourceRequirements": _resources,
    "RoleRef": _role_ref,
    "ServicePort": _service_port,
    "ServiceSpec": _service,
    "StatefulSetSpec": _stateful_set,
    "Subject": _subject,
    "Volume": _volume,
}
