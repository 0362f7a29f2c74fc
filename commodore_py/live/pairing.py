"""Which live object belongs to which object of the catalog (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import KubeObject, ObjectId, split_version

from . import marks

if TYPE_CHECKING:
    from commodore_py.live.access.discovery import Api, Discovery
    from commodore_py.manifests.order.applications import Assigned
    from commodore_py.manifests.settings import Tracking


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
    content = marks.marked(kube_object.content, application or "", place, tracking)
    return Target(KubeObject(kube_object.id, content, kube_object.file), application, api, id_)
