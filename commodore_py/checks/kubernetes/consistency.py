"""What the API server demands of several parts of an object together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.checks.base import pods_in

from . import (
    access,
    data,
    extensions,
    jobs,
    networking,
    scaling,
    storage,
    workloads,
)
from .pods import pod_issues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.checks.base import Content, Issue

    from .issues import Rule


def consistency_issues(content: Content) -> Iterator[Issue]:
    """What does not fit together in an object."""
    kind = f"{content['kind']}.{content['apiVersion'].rpartition('/')[0]}".removesuffix(".")
    for rule in RULES.get(kind, ()):
        yield from rule(content)
    for path, pod in pods_in(content):
        yield from pod_issues(path, pod, content)


RULES: dict[str, tuple[Rule, ...]] = {
    "APIService.apiregistration.k8s.io": (extensions.service_issues,),
    "ClusterRole.rbac.authorization.k8s.io": (access.role_issues,),
    "ClusterRoleBinding.rbac.authorization.k8s.io": (access.subject_issues,),
    "ConfigMap": (data.config_map_issues,),
    "CronJob.batch": (jobs.job_issues,),
    "CSINode.storage.k8s.io": (storage.node_issues,),
    "CustomResourceDefinition.apiextensions.k8s.io": (extensions.definition_issues,),
    "DaemonSet.apps": (workloads.selector_issues, workloads.daemon_update_issues),
    "Deployment.apps": (
        workloads.selector_issues,
        workloads.deadline_issues,
        workloads.update_issues,
    ),
    "EndpointSlice.discovery.k8s.io": (networking.address_issues,),
    "FlowSchema.flowcontrol.apiserver.k8s.io": (access.flow_issues,),
    "HorizontalPodAutoscaler.autoscaling": (scaling.scaling_issues,),
    "Job.batch": (jobs.job_issues,),
    "LimitRange": (scaling.limit_issues,),
    "MutatingWebhookConfiguration.admissionregistration.k8s.io": (extensions.webhook_issues,),
    "NetworkPolicy.networking.k8s.io": (networking.peer_issues,),
    "PersistentVolume": (storage.volume_issues,),
    "PersistentVolumeClaim": (storage.claim_issues,),
    "PodDisruptionBudget.policy": (scaling.budget_issues,),
    "ReplicaSet.apps": (workloads.selector_issues,),
    "ReplicationController": (workloads.old_selector_issues,),
    "ResourceQuota": (scaling.quota_issues,),
    "Role.rbac.authorization.k8s.io": (access.role_issues,),
    "RoleBinding.rbac.authorization.k8s.io": (access.subject_issues,),
    "Secret": (data.secret_issues,),
    "Service": (networking.service_issues,),
    "StatefulSet.apps": (workloads.selector_issues, storage.template_issues),
    "ValidatingWebhookConfiguration.admissionregistration.k8s.io": (extensions.webhook_issues,),
}
