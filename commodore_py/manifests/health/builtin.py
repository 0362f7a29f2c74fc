"""The health of Kubernetes' own kinds, by the rules that are built into Argo CD (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import others, workloads
from .decoding import Fields, Undecodable
from .status import Verdict, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.manifests.objects import Content

_RULES: Mapping[tuple[str, str], Mapping[str, Callable[[Fields], Verdict]]] = {
    ("apps", "Deployment"): {"v1": workloads.deployment},
    ("apps", "StatefulSet"): {"v1": workloads.stateful_set},
    ("apps", "DaemonSet"): {"v1": workloads.daemon_set},
    ("apps", "ReplicaSet"): {"v1": workloads.replica_set},
    ("batch", "Job"): {"v1": workloads.job},
    ("", "Pod"): {"v1": workloads.pod},
    ("", "Service"): {"v1": others.service},
    ("", "PersistentVolumeClaim"): {"v1": others.claim},
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "v1": others.autoscaler_v1,
        "v2": others.autoscaler,
    },
    ("apiregistration.k8s.io", "APIService"): {
        "v1": others.api_service,
        "v1beta1": others.api_service,
    },
}
# Rules for any version, of fields whose types are not checked.
_LOOSE: Mapping[tuple[str, str], Callable[[Content], Verdict]] = {
    ("networking.k8s.io", "Ingress"): others.ingress,
    ("extensions", "Ingress"): others.ingress,
    ("argoproj.io", "Workflow"): others.workflow,
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
