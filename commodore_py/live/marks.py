"""Which live object belongs to which object of the catalog, and who manages it (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import (
    KubeObject,
    ObjectId,
    mapping,
    mappings,
    split_version,
    value_in,
)
from commodore_py.manifests.order.hooks import HOOK, OPTIONS, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from commodore_py.manifests.objects import Content
    from commodore_py.manifests.order.applications import Assigned
    from commodore_py.manifests.settings import Tracking

    from .access.discovery import Api, Discovery

_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_INSTALLATION_ID = "argocd.argoproj.io/installation-id"
_HELM_POLICY, _HELM_RELEASE = "helm.sh/resource-policy", "meta.helm.sh/release-name"
_KAPP_DELETE, _KAPP_APP = "kapp.k14s.io/delete-strategy", "kapp.k14s.io/app"
_KLUCTL_SKIP = "kluctl.io/skip-delete"
_FLUX_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
_FLUX_NAME = "kustomize.toolkit.fluxcd.io/name"
_MANAGED_BY = "app.kubernetes.io/managed-by"
_DEFAULT_LABEL = "app.kubernetes.io/instance"
_ARGOCD = "argocd"  # its managers of fields begin with it
_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")
_LONGEST_LABEL = 63

ANNOTATIONS = frozenset(
    {_TRACKING_ID, _INSTALLATION_ID, OPTIONS, HOOK, _HELM_POLICY, _HELM_RELEASE}
    | {_KAPP_DELETE, _KLUCTL_SKIP, _FLUX_PRUNE}
)
"""Annotations that marks need."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Who says that the object is theirs."""

    tool: str = ""
    """`argocd`, `flux`, `kapp` or `helm`; empty without a mark."""
    owner: str = ""
    """The application, Kustomization or release."""
    is_ours: bool = False
    """Whether it is of an application of this Argo CD, and of this very object."""


def mark_of(
    id_: ObjectId,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    tracking: Tracking,
) -> Mark:
    """The mark of a live object."""
    if tracking.by_annotation and (tracking_id := annotations.get(_TRACKING_ID)):
        application, _, named = tracking_id.partition(":")
        other = annotations.get(_INSTALLATION_ID, "") != tracking.installation
        return Mark("argocd", application, not other and _names(named, id_))
    if not tracking.by_annotation and (owner := labels.get(tracking.label)):
        is_argocd = tracking.label != _DEFAULT_LABEL or labels.get(_MANAGED_BY) != "Helm"
        return Mark("argocd", owner, is_ours=is_argocd)
    if owner := labels.get(_FLUX_NAME):
        return Mark("flux", owner)
    if owner := labels.get(_KAPP_APP):
        return Mark("kapp", owner)
    if owner := annotations.get(_HELM_RELEASE):
        return Mark("helm", owner)
    return Mark()


def _names(named: str, id_: ObjectId) -> bool:
    """Return whether `group/Kind:namespace/name` is this object; in another one it is a copy.

    The group may be one that the kind had before.
    """
    kind, _, place = named.partition(":")
    namespace, _, name = place.partition("/")
    # Outside of namespaces, Argo CD writes that of the application.
    same_place = not id_.namespace or namespace == id_.namespace
    return kind.rpartition("/")[2] == id_.kind and name == id_.name and same_place


def marked(content: Content, application: str, namespace: str, tracking: Tracking) -> Content:
    """An object as the application applies it: with its mark.

    `namespace` is where the object is, or that of the application for objects outside of
    namespaces.
    """
    group, _, kind = split_version(content)
    if not application or (group, kind) == _CRD:
        return content
    if tracking.by_annotation:
        name = mapping(content.get("metadata")).get("name")
        values = {_TRACKING_ID: f"{application}:{group}/{kind}:{namespace}/{name}"}
        if tracking.installation:
            values[_INSTALLATION_ID] = tracking.installation
        content = _with(content, "annotations", values)
    if tracking.has_label:
        value = application
        if tracking.by_annotation:
            value = value[:_LONGEST_LABEL].rstrip("-._")
        content = _with(content, "labels", {tracking.label: value})
    return content


def marked_as_before(target: Content, live: Content, tracking: Tracking) -> Content:
    """A marked target without differences that are none to Argo CD.

    Marks of a former method of tracking go when it syncs the object for another reason. Where no
    method is set, a mark that is missing says nothing.
    """
    labels, annotations = (
        mapping(value_in(live, "metadata", name)) for name in ("labels", "annotations")
    )
    if not tracking.by_annotation:
        return target
    metadata = mapping(target.get("metadata"))
    was_labelled = tracking.label in labels
    if _TRACKING_ID not in annotations and (was_labelled or not tracking.method):
        kept = {
            key: value
            for key, value in mapping(metadata.get("annotations")).items()
            if key not in (_TRACKING_ID, _INSTALLATION_ID)
        }
        target = {**target, "metadata": {**metadata, "annotations": kept}}
    if was_labelled and tracking.label not in mapping(metadata.get("labels")):
        target = _with(target, "labels", {tracking.label: labels[tracking.label]})
    return target


def marked_alike(target: Content, live: Content, tracking: Tracking) -> Content:
    """A target with the marks of the live object."""
    metadata = dict(mapping(target.get("metadata")))
    for field, names in (
        ("annotations", (_TRACKING_ID, _INSTALLATION_ID)),
        ("labels", (tracking.label,)),
    ):
        current = mapping(value_in(live, "metadata", field))
        rest = {k: value for k, value in mapping(metadata.get(field)).items() if k not in names}
        metadata[field] = rest | {name: current[name] for name in names if name in current}
    return {**target, "metadata": metadata}


def method_of(application: Content, names: Collection[str]) -> str:
    """The method of tracking by which Argo CD has marked an application, if any.

    An annotation that was applied on the server counts for nothing: `live apply` writes it, too.
    A label counts if it has one of the names of applications, and is not of Helm.
    """
    metadata = mapping(application.get("metadata"))
    labels = mapping(metadata.get("labels"))
    if _TRACKING_ID in mapping(metadata.get("annotations")) and any(
        str(entry.get("manager")).startswith(_ARGOCD)
        and entry.get("operation") == "Update"
        and f"f:{_TRACKING_ID}"
        in mapping(value_in(entry, "fieldsV1", "f:metadata", "f:annotations"))
        for entry in mappings(metadata.get("managedFields"))
    ):
        return "annotation"
    is_mark = labels.get(_DEFAULT_LABEL) in names and labels.get(_MANAGED_BY) != "Helm"
    return "label" if is_mark else ""


def _with(content: Content, field: str, values: Mapping[str, str]) -> Content:
    metadata = mapping(content.get("metadata"))
    return {
        **content,
        "metadata": {**metadata, field: {**mapping(metadata.get(field)), **values}},
    }


def kept_because(annotations: Mapping[str, str]) -> str:
    """Why the object must not be deleted; empty if nothing says so."""
    options = words_of(annotations, OPTIONS)
    for option in ("Prune=false", "Prune=confirm", "Delete=false", "Delete=confirm"):
        if option in options:
            return f"its sync options have {option}"
    for name, value in (
        (_HELM_POLICY, "keep"),
        (_KAPP_DELETE, "orphan"),
        (_FLUX_PRUNE, "disabled"),
        (_KLUCTL_SKIP, "true"),
    ):
        if annotations.get(name) == value:
            return f"its annotation {name} is {value}"
    return ""


def is_hook(annotations: Mapping[str, str]) -> bool:
    """Return whether it is what a hook of a sync has left behind."""
    return HOOK in annotations


@dataclass(frozen=True, slots=True)
class Target:
    """An object as the catalog has it, and where it belongs in the cluster."""

    object: KubeObject
    """With the mark of its application."""
    application: str | None
    """Empty if there are no applications at all, None if none of them has the file."""
    api: Api | None
    """Its kind as the server has it, in the version of the object if that is served."""
    id: ObjectId
    """As the server names it; with its own names, if the kind is not served."""

    @property
    def path(self) -> str:
        """Where the object is on the server; empty if its kind is not served."""
        return self.api.path(self.id.namespace, self.id.name) if self.api is not None else ""

    @property
    def has_version(self) -> bool:
        """True if the server has the kind in the version of the object."""
        return self.api is not None and self.api.version == split_version(self.object.content)[1]


def targets_of(assigned: Assigned, kinds: Discovery, tracking: Tracking) -> tuple[Target, ...]:
    """The targets of all applications; of an id that is there twice, the last one.

    They have the marks of their applications.
    """
    targets: dict[tuple[str | None, ObjectId], Target] = {}
    for application, objects in assigned.applications:
        for kube_object in objects:
            target = _target(kube_object, application.name, application.namespace, kinds, tracking)
            targets[application.name, target.id] = target
    for kube_object in assigned.unapplied:
        target = _target(kube_object, None, "", kinds, tracking)
        targets[None, target.id] = target
    return tuple(targets.values())


def _target(
    kube_object: KubeObject,
    application: str | None,
    namespace: str,
    kinds: Discovery,
    tracking: Tracking,
) -> Target:
    group, version, kind = split_version(kube_object.content)
    api = kinds.find(group, kind, version)
    if api is None and kube_object.id.group != group:  # it was moved to another group
        api = kinds.find(kube_object.id.group, kind, version)
    own_namespace = kube_object.id.namespace or namespace
    if api is None:
        id_ = ObjectId(group, kind, own_namespace, kube_object.id.name)
    else:
        within = (own_namespace or "default") if api.namespaced else ""
        id_ = ObjectId(api.group, api.kind, within, kube_object.id.name)
    place = namespace if api is not None and not api.namespaced else own_namespace
    content = marked(kube_object.content, application or "", place, tracking)
    return Target(KubeObject(kube_object.id, content, kube_object.file), application, api, id_)
