"""APIs that a version of Kubernetes does not serve any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.checks.base import Issue, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.checks.base import Item, Settings

NAME = "removed-apis"
_SOON = 3

_RBAC = dict.fromkeys(
    ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    (22, "rbac.authorization.k8s.io/v1"),
)

REMOVED: dict[str, dict[str, tuple[int, str]]] = {
    "extensions/v1beta1": {
        "DaemonSet": (16, "apps/v1"),
        "Deployment": (16, "apps/v1"),
        "Ingress": (22, "networking.k8s.io/v1"),
        "NetworkPolicy": (16, "networking.k8s.io/v1"),
        "PodSecurityPolicy": (16, ""),
        "ReplicaSet": (16, "apps/v1"),
    },
    **{
        f"apps/{version}": {
            "ControllerRevision": (16, "apps/v1"),
            "DaemonSet": (16, "apps/v1"),
            "Deployment": (16, "apps/v1"),
            "ReplicaSet": (16, "apps/v1"),
            "StatefulSet": (16, "apps/v1"),
        }
        for version in ("v1beta1", "v1beta2")
    },
    "admissionregistration.k8s.io/v1alpha1": {
        "ValidatingAdmissionPolicy": (32, "admissionregistration.k8s.io/v1"),
        "ValidatingAdmissionPolicyBinding": (32, "admissionregistration.k8s.io/v1"),
    },
    "admissionregistration.k8s.io/v1beta1": {
        "MutatingWebhookConfiguration": (22, "admissionregistration.k8s.io/v1"),
        "ValidatingWebhookConfiguration": (22, "admissionregistration.k8s.io/v1"),
        "ValidatingAdmissionPolicy": (34, "admissionregistration.k8s.io/v1"),
        "ValidatingAdmissionPolicyBinding": (34, "admissionregistration.k8s.io/v1"),
    },
    "apiextensions.k8s.io/v1beta1": {
        "CustomResourceDefinition": (22, "apiextensions.k8s.io/v1"),
    },
    "apiregistration.k8s.io/v1beta1": {"APIService": (22, "apiregistration.k8s.io/v1")},
    "autoscaling/v2beta1": {"HorizontalPodAutoscaler": (25, "autoscaling/v2")},
    "autoscaling/v2beta2": {"HorizontalPodAutoscaler": (26, "autoscaling/v2")},
    "batch/v1beta1": {"CronJob": (25, "batch/v1")},
    "certificates.k8s.io/v1alpha1": {
        "ClusterTrustBundle": (37, "certificates.k8s.io/v1beta1"),
        "PodCertificateRequest": (35, "certificates.k8s.io/v1beta1"),
    },
    "certificates.k8s.io/v1beta1": {"CertificateSigningRequest": (22, "certificates.k8s.io/v1")},
    "coordination.k8s.io/v1beta1": {"Lease": (22, "coordination.k8s.io/v1")},
    "discovery.k8s.io/v1beta1": {"EndpointSlice": (25, "discovery.k8s.io/v1")},
    "events.k8s.io/v1beta1": {"Event": (25, "events.k8s.io/v1")},
    **{
        f"flowcontrol.apiserver.k8s.io/{version}": {
            "FlowSchema": (minor, "flowcontrol.apiserver.k8s.io/v1"),
            "PriorityLevelConfiguration": (minor, "flowcontrol.apiserver.k8s.io/v1"),
        }
        for version, minor in (("v1beta1", 26), ("v1beta2", 29), ("v1beta3", 32))
    },
    "networking.k8s.io/v1alpha1": {
        "ClusterCIDR": (29, ""),
        "IPAddress": (31, "networking.k8s.io/v1"),
        "ServiceCIDR": (31, "networking.k8s.io/v1"),
    },
    "networking.k8s.io/v1beta1": {
        "Ingress": (22, "networking.k8s.io/v1"),
        "IngressClass": (22, "networking.k8s.io/v1"),
        "IPAddress": (37, "networking.k8s.io/v1"),
        "ServiceCIDR": (37, "networking.k8s.io/v1"),
    },
    "node.k8s.io/v1beta1": {"RuntimeClass": (25, "node.k8s.io/v1")},
    "policy/v1beta1": {
        "PodDisruptionBudget": (25, "policy/v1"),
        "PodSecurityPolicy": (25, ""),
    },
    **{f"rbac.authorization.k8s.io/{version}": _RBAC for version in ("v1alpha1", "v1beta1")},
    "scheduling.k8s.io/v1beta1": {"PriorityClass": (22, "scheduling.k8s.io/v1")},
    "storage.k8s.io/v1beta1": {
        "CSIDriver": (22, "storage.k8s.io/v1"),
        "CSINode": (22, "storage.k8s.io/v1"),
        "CSIStorageCapacity": (27, "storage.k8s.io/v1"),
        "StorageClass": (22, "storage.k8s.io/v1"),
        "VolumeAttachment": (22, "storage.k8s.io/v1"),
        "VolumeAttributesClass": (37, "storage.k8s.io/v1"),
    },
}
"""By API version and kind: the minor version that does not serve it, and what to use instead.

Up to 1.25 from Kubernetes' deprecation guide, later ones by comparing the published schemas.
"""


def check(items: Sequence[Item], settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Objects whose API is gone, or will be soon."""
    version = settings.version
    if version is None:
        raise Unavailable("the version of Kubernetes is not known")
    for item in items:
        api_version, kind = item.api_version, item.id.kind
        if kind not in REMOVED.get(api_version, {}):
            continue
        minor, instead = REMOVED[api_version][kind]
        if version.minor >= minor:
            code = "removed-apis/removed"
            text = f"Kubernetes {version} does not serve {kind} of {api_version}"
        elif version.minor + _SOON >= minor:
            code = "removed-apis/soon"
            text = f"breaks on upgrade to 1.{minor}: {kind} of {api_version} is removed"
        else:
            continue
        remedy = f"use {instead}" if instead else "there is no replacement: remove it"
        subject = f"{api_version} {kind}"
        yield item, Issue(code, text, "apiVersion", remedy, subject, value=api_version)
