"""The health of Kubernetes' own kinds, by the rules that are built into Argo CD (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import text, value_in

from . import workloads
from .decoding import Fields, Undecodable
from .status import Verdict, degraded, healthy, progressing, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.manifests.objects import Content

_CONDITIONS_OF_V1 = "autoscaling.alpha.kubernetes.io/conditions"
_FAILURES = {
    ("AbleToScale", "FailedGetScale"),
    ("AbleToScale", "FailedUpdateScale"),
    ("ScalingActive", "FailedGetResourceMetric"),
    ("ScalingActive", "FailedGetObjectMetric"),
    ("ScalingActive", "FailedGetPodsMetric"),
    ("ScalingActive", "FailedGetExternalMetric"),
    ("ScalingActive", "FailedComputeMetricsReplicas"),
    ("ScalingActive", "InvalidSelector"),
}
_NO_ADDRESS = "it has no address yet"
_NOT_SCALED = "it waits to scale"


def service(fields: Fields) -> Verdict:
    """A load balancer needs an address."""
    waits = fields.text("spec", "type") == "LoadBalancer"
    if not fields.each("status", "loadBalancer", "ingress") and waits:
        return progressing(_NO_ADDRESS)
    return healthy()


def claim(fields: Fields) -> Verdict:
    """Its phase."""
    match fields.text("status", "phase"):
        case "Bound":
            return healthy()
        case "Pending":
            return progressing("it is not bound to a volume yet")
        case "Lost":
            return degraded("its volume is lost")
    return unknown()


def ingress(content: Content) -> Verdict:
    """It needs an address; some controllers never write one."""
    value = value_in(content, "status", "loadBalancer", "ingress")
    if isinstance(value, list) and value:
        return healthy()
    return progressing(f"{_NO_ADDRESS}; some controllers never set it")


def autoscaler(fields: Fields) -> Verdict:
    """Return whether it is able to scale."""
    return _scaling(fields.each("status", "conditions"))


def autoscaler_v1(fields: Fields) -> Verdict:
    """Assess the old version, which has its conditions as JSON in an annotation."""
    written = fields.texts("metadata", "annotations").get(_CONDITIONS_OF_V1)
    if written is None:
        return progressing(_NOT_SCALED)
    where = f"annotation {_CONDITIONS_OF_V1}"
    try:
        raw = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise Undecodable(f"{where} is not valid JSON") from error
    return _scaling(Fields(_lowered(raw), where).each())


def _lowered(raw: object) -> object:
    # The names of fields are in any case.
    if not isinstance(raw, list):
        return raw
    return [
        {key.lower(): value for key, value in condition.items()}
        if isinstance(condition, dict)
        else condition
        for condition in raw
    ]


def _scaling(conditions: list[Fields]) -> Verdict:
    for condition in conditions:
        if (condition.text("type"), condition.text("reason")) in _FAILURES:
            return degraded(condition.text("message"))
    for condition in conditions:
        able = condition.text("type") in ("AbleToScale", "ScalingLimited")
        if able and condition.text("status") == "True":
            return healthy(condition.text("message"))
    return progressing(_NOT_SCALED)


def api_service(fields: Fields) -> Verdict:
    """Return whether its API is available."""
    available = workloads.first_condition(fields, "Available")
    if available is None:
        return progressing("it is not processed yet")
    message = f"{available.text('reason')}: {available.text('message')}"
    return (healthy if available.text("status") == "True" else progressing)(message)


def workflow(content: Content) -> Verdict:
    """The phase of a workflow of Argo."""
    phase, message = (text(value_in(content, "status", name)) for name in ("phase", "message"))
    match phase:
        case "" | "Pending" | "Running":
            return progressing(message)
        case "Succeeded":
            return healthy(message)
        case "Failed" | "Error":
            return degraded(message)
    return unknown(message)


_RULES: Mapping[tuple[str, str], Mapping[str, Callable[[Fields], Verdict]]] = {
    ("apps", "Deployment"): {"v1": workloads.deployment},
    ("apps", "StatefulSet"): {"v1": workloads.stateful_set},
    ("apps", "DaemonSet"): {"v1": workloads.daemon_set},
    ("apps", "ReplicaSet"): {"v1": workloads.replica_set},
    ("batch", "Job"): {"v1": workloads.job},
    ("", "Pod"): {"v1": workloads.pod},
    ("", "Service"): {"v1": service},
    ("", "PersistentVolumeClaim"): {"v1": claim},
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "v1": autoscaler_v1,
        "v2": autoscaler,
    },
    ("apiregistration.k8s.io", "APIService"): {
        "v1": api_service,
        "v1beta1": api_service,
    },
}
# Rules for any version, of fields whose types are not checked.
_LOOSE: Mapping[tuple[str, str], Callable[[Content], Verdict]] = {
    ("networking.k8s.io", "Ingress"): ingress,
    ("extensions", "Ingress"): ingress,
    ("argoproj.io", "Workflow"): workflow,
}


def has_rule(group: str, kind: str) -> bool:
    """Return whether the kind has a built-in rule."""
    return (group, kind) in _RULES or (group, kind) in _LOOSE


def verdict(group: str, version: str, kind: str, content: Content) -> Verdict | None:
    """The verdict of the built-in rule; None if the kind has none."""
    if loose := _LOOSE.get((group, kind)):
        return loose(content)
    rules = _RULES.get((group, kind))
    if rules is None:
        return None
    if version not in rules:
        versions = " or ".join(f"{group}/{rule}" if group else rule for rule in sorted(rules))
        return unknown(f"no rule for version {version} of {kind}: use {versions}")
    try:
        return rules[version](Fields(content))
    except Undecodable as error:
        return unknown(str(error))
