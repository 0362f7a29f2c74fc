"""What labels and annotations of a live object say about who manages it (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.settings import Tracking

_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_INSTALLATION_ID = "argocd.argoproj.io/installation-id"
_OPTIONS = "argocd.argoproj.io/sync-options"
_HOOK = "argocd.argoproj.io/hook"
_HELM_POLICY, _HELM_RELEASE = "helm.sh/resource-policy", "meta.helm.sh/release-name"
_KAPP_DELETE, _KAPP_APP = "kapp.k14s.io/delete-strategy", "kapp.k14s.io/app"
_KLUCTL_SKIP = "kluctl.io/skip-delete"
_FLUX_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
_FLUX_NAME = "kustomize.toolkit.fluxcd.io/name"
_MANAGED_BY = "app.kubernetes.io/managed-by"

ANNOTATIONS = frozenset(
    {_TRACKING_ID, _INSTALLATION_ID, _OPTIONS, _HOOK, _HELM_POLICY, _HELM_RELEASE}
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
    if tracking.by_annotation and (found := annotations.get(_TRACKING_ID)):
        application, _, named = found.partition(":")
        other = annotations.get(_INSTALLATION_ID, "") != tracking.installation
        return Mark("argocd", application, not other and _names(named, id_))
    if tracking.by_label and (owner := labels.get(tracking.label)):
        is_argocd = tracking.label != _DEFAULT_LABEL or labels.get(_MANAGED_BY) != "Helm"
        return Mark("argocd", owner, is_ours=is_argocd)
    if owner := labels.get(_FLUX_NAME):
        return Mark("flux", owner)
    if owner := labels.get(_KAPP_APP):
        return Mark("kapp", owner)
    if owner := annotations.get(_HELM_RELEASE):
        return Mark("helm", owner)
    return Mark()


_DEFAULT_LABEL = "app.kubernetes.io/instance"


def _names(named: str, id_: ObjectId) -> bool:
    """Whether `group/Kind:namespace/name` is this object; in another one it is a copy.

    The group may be one that the kind had before.
    """
    kind, _, place = named.partition(":")
    namespace, _, name = place.partition("/")
    # Outside of namespaces, Argo CD writes that of the application.
    same_place = not id_.namespace or namespace == id_.namespace
    return kind.rpartition("/")[2] == id_.kind and name == id_.name and same_place


def marked(content: Content, id_: ObjectId, application: str, tracking: Tracking) -> Content:
    """An object as the application applies it: with its mark."""
    if not application:
        return content
    if tracking.by_label:
        return _with(content, "labels", {tracking.label: application})
    kind = f"{id_.group}/{id_.kind}"
    values = {_TRACKING_ID: f"{application}:{kind}:{id_.namespace}/{id_.name}"}
    if tracking.installation:
        values[_INSTALLATION_ID] = tracking.installation
    return _with(content, "annotations", values)


def added_by_driver(tracking: Tracking) -> frozenset[str]:
    """The labels and annotations that `marked` adds."""
    return frozenset({tracking.label} if tracking.by_label else {_TRACKING_ID, _INSTALLATION_ID})


def _with(content: Content, field: str, values: Mapping[str, str]) -> Content:
    metadata = content.get("metadata")
    fields = dict(metadata) if isinstance(metadata, dict) else {}
    found = fields.get(field)
    fields[field] = {**(found if isinstance(found, dict) else {}), **values}
    return {**content, "metadata": fields}


def kept_because(annotations: Mapping[str, str]) -> str:
    """Why the object must not be deleted; empty if nothing says so."""
    options = {one.strip() for one in annotations.get(_OPTIONS, "").split(",")}
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
    """Whether it is what a hook of a sync has left behind."""
    return _HOOK in annotations
