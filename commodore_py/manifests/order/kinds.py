"""The order of kinds within a wave, and which kinds live outside of namespaces (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.objects import split_version, value_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.manifests.objects import Content

_FIRST = (
    *("Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy"),
    *("PodDisruptionBudget", "ServiceAccount", "Secret", "SecretList", "ConfigMap"),
    *("StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition"),
    *("ClusterRole", "ClusterRoleList", "ClusterRoleBinding", "ClusterRoleBindingList"),
    *("Role", "RoleList", "RoleBinding", "RoleBindingList", "Service", "DaemonSet", "Pod"),
    *("ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler"),
    *("StatefulSet", "Job", "CronJob", "IngressClass", "Ingress", "APIService"),
)
_RANK = {kind: at for at, kind in enumerate(_FIRST)}

CLUSTER_SCOPED = frozenset(
    {("", kind) for kind in ("Namespace", "Node", "PersistentVolume", "ComponentStatus")}
    | {("rbac.authorization.k8s.io", kind) for kind in ("ClusterRole", "ClusterRoleBinding")}
    | {
        ("storage.k8s.io", kind)
        for kind in (
            *("StorageClass", "VolumeAttachment", "VolumeAttributesClass"),
            *("CSIDriver", "CSINode"),
        )
    }
    | {
        ("admissionregistration.k8s.io", kind)
        for kind in (
            *("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
            *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
            *("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
        )
    }
    | {
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
        ("certificates.k8s.io", "CertificateSigningRequest"),
        ("certificates.k8s.io", "ClusterTrustBundle"),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
        ("networking.k8s.io", "IngressClass"),
        ("networking.k8s.io", "IPAddress"),
        ("networking.k8s.io", "ServiceCIDR"),
        ("node.k8s.io", "RuntimeClass"),
        ("policy", "PodSecurityPolicy"),
        ("resource.k8s.io", "DeviceClass"),
        ("resource.k8s.io", "ResourceSlice"),
        ("scheduling.k8s.io", "PriorityClass"),
    }
)
"""Kubernetes' own kinds that live outside of namespaces."""

CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


def rank(kind: str) -> int:
    """The place of a kind; all kinds without one share the last."""
    return _RANK.get(kind, len(_RANK))


def scopes_of(contents: Iterable[Content]) -> frozenset[tuple[str, str]]:
    """All cluster-scoped kinds: Kubernetes' own, and those that are defined among the objects."""
    defined = {
        kind
        for content in contents
        if (kind := defined_kind(content)) and value_in(content, "spec", "scope") == "Cluster"
    }
    return CLUSTER_SCOPED | defined


def defined_kind(content: Content) -> tuple[str, str] | None:
    """The group and the kind that a custom resource definition defines."""
    group, _, kind = split_version(content)
    if (group, kind) != CRD:
        return None
    defined = value_in(content, "spec", "group"), value_in(content, "spec", "names", "kind")
    return defined if all(isinstance(name, str) for name in defined) else None
