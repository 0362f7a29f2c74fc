"""Health of Services, claims, Ingresses, autoscalers, APIServices and Workflows (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import value_in

from .decoding import Fields, Undecodable
from .status import Verdict, degraded, healthy, progressing, unknown
from .workloads import first_condition

if TYPE_CHECKING:
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
    text = fields.texts("metadata", "annotations").get(_CONDITIONS_OF_V1)
    if text is None:
        return progressing(_NOT_SCALED)
    where = f"annotation {_CONDITIONS_OF_V1}"
    try:
        raw = json.loads(text)
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
    available = first_condition(fields, "Available")
    if available is None:
        return progressing("it is not processed yet")
    message = f"{available.text('reason')}: {available.text('message')}"
    return (healthy if available.text("status") == "True" else progressing)(message)


def workflow(content: Content) -> Verdict:
    """The phase of a workflow of Argo."""
    phase, message = (
        value if isinstance(value := value_in(content, "status", name), str) else ""
        for name in ("phase", "message")
    )
    match phase:
        case "" | "Pending" | "Running":
            return progressing(message)
        case "Succeeded":
            return healthy(message)
        case "Failed" | "Error":
            return degraded(message)
    return unknown(message)
