"""Which live object belongs to which object of the catalog (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import ObjectId, split_version
from commodore_py.manifests.order import applications

if TYPE_CHECKING:
    from commodore_py.live.access.discovery import Api, Discovery
    from commodore_py.manifests.objects import KubeObject
    from commodore_py.manifests.order.applications import Assigned


@dataclass(frozen=True, slots=True)
class Target:
    """An object as the catalog has it, and where it belongs in the cluster."""

    object: KubeObject
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
        """Whether the server has the kind in the version of the object."""
        return self.api is not None and self.api.version == split_version(self.object.content)[1]


def targets_of(assigned: Assigned, kinds: Discovery) -> tuple[Target, ...]:
    """The targets of all applications; of an id that is there twice, the last one."""
    found: dict[tuple[str | None, ObjectId], Target] = {}
    for application, objects in assigned.applications:
        for one in objects:
            target = _target(one, application.name, application.namespace, kinds)
            found[application.name, target.id] = target
    for one in assigned.unapplied:
        target = _target(one, None, "", kinds)
        found[None, target.id] = target
    return tuple(found.values())


def target_of(one: KubeObject, assigned: Assigned, kinds: Discovery) -> Target:
    """An object of an earlier commit as a target, by the applications of today."""
    application = applications.owner_of(one.file, assigned)
    return _target(one, application.name, application.namespace, kinds)


def _target(one: KubeObject, application: str | None, namespace: str, kinds: Discovery) -> Target:
    group, version, kind = split_version(one.content)
    api = kinds.find(group, kind, version)
    if api is None and one.id.group != group:  # it was moved to another group
        api = kinds.find(one.id.group, kind, version)
    wanted = one.id.namespace or namespace
    if api is None:
        return Target(one, application, None, ObjectId(group, kind, wanted, one.id.name))
    within = (wanted or "default") if api.namespaced else ""
    return Target(one, application, api, ObjectId(api.group, api.kind, within, one.id.name))
