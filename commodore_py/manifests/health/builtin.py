"""The health of Kubernetes' own kinds, by the rules that are built into Argo CD (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.order.hooks import hook_facts

from . import others, pods, workloads
from .decoding import Undecodable, decoded
from .status import Verdict, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.manifests.objects import Content

    from .decoding import Decoded, Shape


@dataclass(frozen=True, slots=True)
class _Rule:
    """The fields that a rule reads, and the rule."""

    shape: Shape
    judge: Callable[[Decoded], Verdict]


_AUTOSCALING = ("autoscaling", "HorizontalPodAutoscaler")
_RULES: dict[tuple[str, str], dict[str, _Rule]] = {
    ("apps", "Deployment"): {"v1": _Rule(workloads.DEPLOYMENT, workloads.deployment)},
    ("apps", "StatefulSet"): {"v1": _Rule(workloads.STATEFUL_SET, workloads.stateful_set)},
    ("apps", "DaemonSet"): {"v1": _Rule(workloads.DAEMON_SET, workloads.daemon_set)},
    ("apps", "ReplicaSet"): {"v1": _Rule(workloads.REPLICA_SET, workloads.replica_set)},
    ("batch", "Job"): {"v1": _Rule(workloads.JOB, workloads.job)},
    ("", "Service"): {"v1": _Rule(others.SERVICE, others.service)},
    ("", "PersistentVolumeClaim"): {"v1": _Rule(others.CLAIM, others.claim)},
    _AUTOSCALING: {
        "v1": _Rule(others.AUTOSCALER_V1, others.autoscaler_v1),
        "v2": _Rule(others.AUTOSCALER, others.autoscaler),
    },
    ("apiregistration.k8s.io", "APIService"): {
        "v1": _Rule(others.API_SERVICE, others.api_service),
        "v1beta1": _Rule(others.API_SERVICE, others.api_service),
    },
}
# Rules for any version, of fields whose types are not checked.
_LOOSE: dict[tuple[str, str], Callable[[Content], Verdict]] = {
    ("networking.k8s.io", "Ingress"): others.ingress,
    ("extensions", "Ingress"): others.ingress,
    ("argoproj.io", "Workflow"): others.workflow,
}
_POD = ("", "Pod")


def has_rule(group: str, kind: str) -> bool:
    """Return whether the kind has a built-in rule."""
    key = (group, kind)
    return key in _RULES or key in _LOOSE or key == _POD


def verdict(group: str, version: str, kind: str, content: Content) -> Verdict | None:
    """The verdict of the built-in rule; None if the kind has none."""
    if loose := _LOOSE.get((group, kind)):
        return loose(content)
    if (group, kind) == _POD:
        rules = {
            "v1": _Rule(
                pods.POD, lambda fields: pods.pod(fields, is_hook=hook_facts(content).is_hook)
            )
        }
    else:
        rules = _RULES.get((group, kind), {})
    if not rules:
        return None
    rule = rules.get(version)
    if rule is None:
        versions = " or ".join(f"{group}/{rule}" if group else rule for rule in sorted(rules))
        return unknown(f"no rule for version {version} of {kind}: use {versions}")
    try:
        return rule.judge(decoded(content, rule.shape))
    except Undecodable as error:
        return unknown(str(error))
