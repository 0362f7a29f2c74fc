"""What the cache keeps of an object, and which relations it tells."""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.live.access.answers import mapping
from commodore_py.manifests.objects import ObjectId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import Content

Key: TypeAlias = "str | tuple[str, ...]"
"""What relations go by: a UID, or a name within a namespace where Kubernetes has no owner."""

_TOKEN_OF, _TOKEN_UID = (f"kubernetes.io/service-account.{part}" for part in ("name", "uid"))
_OPERATOR_GROUP = "olm.operatorGroup"
_OLM = "operators.coreos.com"
_CLAIM = re.compile(r"(.+)-\d+")


class Owner(NamedTuple):
    """An owner as the object names it."""

    uid: str
    group: str
    kind: str
    name: str


class Record:
    """An object: ids and relations, and what a handler made of it."""

    __slots__ = (
        "annotations",
        "created",
        "deleted",
        "id",
        "info",
        "labels",
        "manifest",
        "offers",
        "owners",
        "uid",
        "version",
        "wants",
    )

    def __init__(self, api: Api, content: Content) -> None:
        metadata = mapping(content.get("metadata"))
        self.id = ObjectId(
            intern(api.group),
            intern(api.kind),
            intern(_text(metadata, "namespace")),
            _text(metadata, "name"),
        )
        self.uid = _text(metadata, "uid")
        self.version = _text(metadata, "resourceVersion")
        self.owners = tuple(_owners(metadata))
        self.labels = _pairs(metadata, "labels")
        self.annotations: tuple[tuple[str, str], ...] = ()
        """Those that a handler asks for."""
        self.created = _text(metadata, "creationTimestamp")
        self.deleted = _text(metadata, "deletionTimestamp")
        self.info: object = None
        self.manifest: Content | None = None
        self.wants = tuple(_wants(self, metadata))
        self.offers = tuple(_offers(self, content))


def _wants(one: Record, metadata: dict[str, Any]) -> Iterator[Key]:
    """The keys of its owners; inferred ones only where none of that kind is named."""
    kinds = {owner.kind for owner in one.owners}
    yield from (owner.uid for owner in one.owners)
    id_ = one.id
    if (id_.group, id_.kind) == ("", "Endpoints") and "Service" not in kinds:
        yield "Service", id_.namespace, id_.name
    elif (id_.group, id_.kind) == ("", "Secret") and "ServiceAccount" not in kinds:
        annotations = mapping(metadata.get("annotations"))
        name, uid = annotations.get(_TOKEN_OF), annotations.get(_TOKEN_UID)
        if isinstance(name, str) and isinstance(uid, str):
            yield "ServiceAccount", id_.namespace, name, uid
    elif (id_.group, id_.kind) == ("", "PersistentVolumeClaim") and "StatefulSet" not in kinds:
        if found := _CLAIM.fullmatch(id_.name):
            yield "PersistentVolumeClaim", id_.namespace, found[1]
    elif (id_.group, id_.kind) == (_OLM, "ClusterServiceVersion") and "OperatorGroup" not in kinds:
        name = mapping(metadata.get("annotations")).get(_OPERATOR_GROUP)
        if isinstance(name, str):
            yield "OperatorGroup", id_.namespace, name


def _offers(one: Record, content: Content) -> Iterator[Key]:
    """The keys besides its UID under which others may name it as their owner."""
    id_ = one.id
    match id_.group, id_.kind:
        case "", "Service":
            yield "Service", id_.namespace, id_.name
        case "", "ServiceAccount":
            yield "ServiceAccount", id_.namespace, id_.name, one.uid
        case "apps", "StatefulSet":
            spec = mapping(content.get("spec"))
            for template in spec.get("volumeClaimTemplates") or ():
                name = _text(mapping(mapping(template).get("metadata")), "name")
                yield "PersistentVolumeClaim", id_.namespace, f"{name}-{id_.name}"
        case group, "OperatorGroup" if group == _OLM:
            yield "OperatorGroup", id_.namespace, id_.name


def _owners(metadata: dict[str, Any]) -> Iterator[Owner]:
    for one in metadata.get("ownerReferences") or ():
        group = _text(one, "apiVersion").rpartition("/")[0]
        yield Owner(
            _text(one, "uid"), intern(group), intern(_text(one, "kind")), _text(one, "name")
        )


def _pairs(metadata: dict[str, Any], field: str) -> tuple[tuple[str, str], ...]:
    found = mapping(metadata.get(field))
    return tuple((intern(str(key)), intern(str(value))) for key, value in sorted(found.items()))


def _text(fields: Any, name: str) -> str:  # noqa: ANN401 - as served
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""
