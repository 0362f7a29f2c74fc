"""What the API server demands of several parts of an object together."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items, mapping, pods_in
from commodore_py.checks.formats.texts import accepts
from commodore_py.checks.kubernetes.issues import each, fields_of, missing, spec_of, twice, wrong
from commodore_py.manifests import quantities

from . import jobs, networking, scaling, workloads
from .pods import pod_issues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue

    from .issues import Rule


def volume_issues(content: Content) -> Iterator[Issue]:
    """A volume has a size, and no other capacity."""
    if "capacity" in spec_of(content):
        capacity = mapping(spec_of(content)["capacity"])
        yield from _storage_size("spec.capacity", capacity)
        for name in capacity.keys() - {"storage"}:
            yield wrong(f"spec.capacity.{name}", "a volume has no other capacity than storage")


def claim_issues(content: Content) -> Iterator[Issue]:
    """A claim requests a size."""
    yield from _requested("spec", spec_of(content))


def template_issues(content: Content) -> Iterator[Issue]:
    """Templates of claims have a name, too."""
    for number, one in each(spec_of(content).get("volumeClaimTemplates")):
        field = f"spec.volumeClaimTemplates[{number}]"
        if not mapping(one.get("metadata")).get("name"):
            yield missing(f"{field}.metadata", "name")
        yield from _requested(f"{field}.spec", mapping(one.get("spec")))


def node_issues(content: Content) -> Iterator[Issue]:
    """A driver is listed once, and so is a key of its topology."""
    drivers = spec_of(content).get("drivers")
    yield from twice("spec.drivers", fields_of(drivers, "name"), "driver")
    for number, one in each(drivers):
        keys = items(one.get("topologyKeys"))
        yield from twice(f"spec.drivers[{number}].topologyKeys", keys, "key")


def _requested(field: str, spec: Mapping[str, Any]) -> Iterator[Issue]:
    resources = mapping(spec.get("resources"))
    if "requests" in resources:
        yield from _storage_size(f"{field}.resources.requests", mapping(resources["requests"]))


def _storage_size(field: str, sizes: Mapping[str, Any]) -> Iterator[Issue]:
    if "storage" not in sizes:
        yield missing(field, "storage")
    else:
        size = quantities.parse(sizes["storage"] or 0)
        if size is not None and size <= 0:
            yield wrong(f"{field}.storage", "it must be more than 0")


_SENT = ("v1", "v1beta1")
"""Versions of reviews that the server sends to webhooks."""
_UNTYPED = ("x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")


def service_issues(content: Content) -> Iterator[Issue]:
    """An API without a service is served by the server itself."""
    spec = spec_of(content)
    if spec.get("service") is None and spec.get("insecureSkipTLSVerify"):
        yield wrong("spec.insecureSkipTLSVerify", "without a service, nothing is verified")


def definition_issues(content: Content) -> Iterator[Issue]:
    """One version is stored, and each has a structural schema."""
    versions = [one for _, one in each(spec_of(content).get("versions"))]
    if versions and sum(one.get("storage") is True for one in versions) != 1:
        yield wrong("spec.versions", "exactly one version must have storage: true")
    for number, version in enumerate(versions):
        schema = mapping(version.get("schema")).get("openAPIV3Schema")
        if isinstance(schema, dict):
            yield from _untyped(f"spec.versions[{number}].schema.openAPIV3Schema", schema)


def webhook_issues(content: Content) -> Iterator[Issue]:
    """Each has its own name, and reads what the server sends."""
    for number, hook in each(content.get("webhooks")):
        versions, field = (
            items(hook.get("admissionReviewVersions")),
            f"webhooks[{number}].admissionReviewVersions",
        )
        yield from twice(field, versions, "version")
        if versions and not any(one in versions for one in _SENT):
            yield wrong(field, "the server sends none of these versions", options=("v1",))
    yield from twice("webhooks", fields_of(content.get("webhooks"), "name"), "webhook")


def _untyped(field: str, schema: object) -> Iterator[Issue]:
    """Parts of a structural schema that have no type."""
    part = mapping(schema)
    if not part.get("type") and not any(part.get(one) for one in _UNTYPED):
        yield missing(field, "type", ": the schema is not structural")
    for name, one in mapping(part.get("properties")).items():
        yield from _untyped(f"{field}.properties.{name}", one)
    for name in ("items", "additionalProperties"):
        if isinstance(part.get(name), dict):
            yield from _untyped(f"{field}.{name}", part[name])


_MOST = 1 << 20
_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Keys that secrets of a type must have."""
_JSON = (".dockercfg", ".dockerconfigjson")


def config_map_issues(content: Content) -> Iterator[Issue]:
    """A key is in one of both places, and all is at most 1 MiB."""
    texts, blobs = mapping(content.get("data")), mapping(content.get("binaryData"))
    for key in sorted(texts.keys() & blobs.keys()):
        yield wrong(f"binaryData.{key}", f"{key} is in data, too", subject=key)
    if _size(texts) + _size(blobs, encoded=True) > _MOST:
        yield wrong("data", "it holds more than 1 MiB")


def secret_issues(content: Content) -> Iterator[Issue]:
    """A secret of a type has its keys, and all is at most 1 MiB."""
    texts, blobs = mapping(content.get("stringData")), mapping(content.get("data"))
    for key in _KEYS.get(str(content.get("type")), ()):
        if key not in texts and key not in blobs:
            yield missing("data", key, f" for type {content['type']}")
        elif key in _JSON and key not in texts and not _is_json(blobs[key]):
            yield wrong(f"data.{key}", "it is not an object in JSON", subject=key)
    if _size(texts) + _size(blobs, encoded=True) > _MOST:
        yield wrong("data", "it holds more than 1 MiB")


def _is_json(blob: object) -> bool:
    """Whether an encoded value is an object in JSON; others may be what stands for a reference."""
    try:
        return isinstance(json.loads(base64.b64decode(str(blob or ""))), dict)
    except ValueError:
        return False


def _size(values: Mapping[str, object], *, encoded: bool = False) -> int:
    sizes = (len(one.encode()) for one in values.values() if isinstance(one, str))
    return sum(size * 3 // 4 if encoded else size for size in sizes)


_FIELDS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
"""The field that describes a subject of a kind."""


def role_issues(content: Content) -> Iterator[Issue]:
    """Rules of roles are about resources or about URLs."""
    for number, rule in each(content.get("rules")):
        field = f"rules[{number}]"
        if rule.get("nonResourceURLs"):
            if content["kind"] == "Role":
                yield wrong(f"{field}.nonResourceURLs", "only a ClusterRole has URLs")
            elif rule.get("apiGroups") or rule.get("resources"):
                yield wrong(field, "it has resources and URLs", "write two rules")
        else:
            for name in ("apiGroups", "resources"):
                if not rule.get(name):
                    yield missing(field, name)


def subject_issues(content: Content) -> Iterator[Issue]:
    """Service accounts have a namespace and a name."""
    for number, subject in each(content.get("subjects")):
        if subject.get("kind") == "ServiceAccount":
            field = f"subjects[{number}]"
            if content["kind"] == "ClusterRoleBinding" and not subject.get("namespace"):
                yield missing(field, "namespace")
            if not accepts("subdomain")(subject.get("name")):
                yield wrong(f"{field}.name", "it is not the name of a service account")


def flow_issues(content: Content) -> Iterator[Issue]:
    """A subject is described by the field of its kind; resources have namespaces, or none."""
    for number, rule in each(spec_of(content).get("rules")):
        for index, one in each(rule.get("subjects")):
            name = _FIELDS.get(str(one.get("kind")))
            if name is not None and one.get(name) is None:
                yield missing(f"spec.rules[{number}].subjects[{index}]", name)
        for index, one in each(rule.get("resourceRules")):
            field = f"spec.rules[{number}].resourceRules[{index}]"
            if not one.get("namespaces") and not one.get("clusterScope"):
                yield missing(field, "namespaces")
            for name, values in one.items():
                if isinstance(values, list) and "*" in values and len(values) > 1:
                    yield wrong(f"{field}.{name}", "* stands for all: write it alone")


def consistency_issues(content: Content) -> Iterator[Issue]:
    """What does not fit together in an object."""
    kind = f"{content['kind']}.{content['apiVersion'].rpartition('/')[0]}".removesuffix(".")
    for rule in RULES.get(kind, ()):
        yield from rule(content)
    for path, pod in pods_in(content):
        yield from pod_issues(path, pod, content)


RULES: dict[str, tuple[Rule, ...]] = {
    "APIService.apiregistration.k8s.io": (service_issues,),
    "ClusterRole.rbac.authorization.k8s.io": (role_issues,),
    "ClusterRoleBinding.rbac.authorization.k8s.io": (subject_issues,),
    "ConfigMap": (config_map_issues,),
    "CronJob.batch": (jobs.job_issues,),
    "CSINode.storage.k8s.io": (node_issues,),
    "CustomResourceDefinition.apiextensions.k8s.io": (definition_issues,),
    "DaemonSet.apps": (workloads.selector_issues, workloads.daemon_update_issues),
    "Deployment.apps": (
        workloads.selector_issues,
        workloads.deadline_issues,
        workloads.update_issues,
    ),
    "EndpointSlice.discovery.k8s.io": (networking.address_issues,),
    "FlowSchema.flowcontrol.apiserver.k8s.io": (flow_issues,),
    "HorizontalPodAutoscaler.autoscaling": (scaling.scaling_issues,),
    "Job.batch": (jobs.job_issues,),
    "LimitRange": (scaling.limit_issues,),
    "MutatingWebhookConfiguration.admissionregistration.k8s.io": (webhook_issues,),
    "NetworkPolicy.networking.k8s.io": (networking.peer_issues,),
    "PersistentVolume": (volume_issues,),
    "PersistentVolumeClaim": (claim_issues,),
    "PodDisruptionBudget.policy": (scaling.budget_issues,),
    "ReplicaSet.apps": (workloads.selector_issues,),
    "ReplicationController": (workloads.old_selector_issues,),
    "ResourceQuota": (scaling.quota_issues,),
    "Role.rbac.authorization.k8s.io": (role_issues,),
    "RoleBinding.rbac.authorization.k8s.io": (subject_issues,),
    "Secret": (secret_issues,),
    "Service": (networking.service_issues,),
    "StatefulSet.apps": (workloads.selector_issues, template_issues),
    "ValidatingWebhookConfiguration.admissionregistration.k8s.io": (webhook_issues,),
}
