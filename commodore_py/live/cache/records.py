"""Records of objects in the cache, and their relations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.live.access.answers import mapping, mappings
from commodore_py.manifests.objects import ObjectId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import Content

    from .settings import Settings

Key: TypeAlias = "str | tuple[str, ...]"
"""What relations go by: a UID, or a name within a namespace where Kubernetes has no owner."""

STATEFUL_SET = ("apps", "StatefulSet")
_TOKEN_OF, _TOKEN_UID = (f"kubernetes.io/service-account.{part}" for part in ("name", "uid"))
_OPERATOR_GROUP = "olm.operatorGroup"
_OLM = "operators.coreos.com"
_CLAIM = re.compile(r"(.+)-\d+")


@dataclass(frozen=True, slots=True)
class Record:
    """An object: ids and relations, and its content if that is kept."""

    id: ObjectId
    uid: str
    version: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    """Those that the settings ask for."""
    is_ending: bool
    owners: tuple[str, ...]
    """UIDs of the owners that the object names."""
    wants: tuple[Key, ...]
    """Keys of its owners, also where Kubernetes names none."""
    offers: tuple[Key, ...]
    """Keys besides its UID under which others may name it as their owner."""
    manifest: Content | None = None


def record_of(api: Api, content: Content, settings: Settings) -> Record:
    """Reduce an object to its record."""
    metadata = mapping(content.get("metadata"))
    id_ = ObjectId(
        intern(api.group),
        intern(api.kind),
        intern(_text(metadata, "namespace")),
        _text(metadata, "name"),
    )
    uid = _text(metadata, "uid")
    owners = mappings(metadata.get("ownerReferences"))
    annotations = _texts(metadata.get("annotations"))
    manifest = None
    if settings.whole(api) and settings.keeps(id_):
        # Items of a list don't say what they are.
        manifest = {"apiVersion": api.api_version, "kind": api.kind, **content}
    uids = tuple(_text(owner, "uid") for owner in owners)
    return Record(
        id_,
        uid,
        _text(metadata, "resourceVersion"),
        {intern(key): intern(value) for key, value in _texts(metadata.get("labels")).items()},
        {key: annotations[key] for key in settings.annotations & annotations.keys()},
        is_ending=bool(_text(metadata, "deletionTimestamp")),
        owners=uids,
        wants=(*uids, *_wants(id_, {_text(owner, "kind") for owner in owners}, annotations)),
        offers=tuple(_offers(id_, uid, content)),
        manifest=manifest,
    )


def _wants(id_: ObjectId, owners: set[str], annotations: Mapping[str, str]) -> Iterator[Key]:
    """Keys of inferred owners, only where none of that kind is named."""
    match id_.group, id_.kind:
        case "", "Endpoints" if "Service" not in owners:
            yield "Service", id_.namespace, id_.name
        case "", "Secret" if "ServiceAccount" not in owners:
            if annotations.keys() >= {_TOKEN_OF, _TOKEN_UID}:
                name, uid = annotations[_TOKEN_OF], annotations[_TOKEN_UID]
                yield "ServiceAccount", id_.namespace, name, uid
        case "", "PersistentVolumeClaim" if "StatefulSet" not in owners:
            if match := _CLAIM.fullmatch(id_.name):
                yield "PersistentVolumeClaim", id_.namespace, match[1]
        case group, "ClusterServiceVersion" if group == _OLM and "OperatorGroup" not in owners:
            if _OPERATOR_GROUP in annotations:
                yield "OperatorGroup", id_.namespace, annotations[_OPERATOR_GROUP]


def _offers(id_: ObjectId, uid: str, content: Content) -> Iterator[Key]:
    match id_.group, id_.kind:
        case "", "Service":
            yield "Service", id_.namespace, id_.name
        case "", "ServiceAccount":
            yield "ServiceAccount", id_.namespace, id_.name, uid
        case key if key == STATEFUL_SET:
            spec = mapping(content.get("spec"))
            for template in mappings(spec.get("volumeClaimTemplates")):
                name = _text(mapping(template.get("metadata")), "name")
                yield "PersistentVolumeClaim", id_.namespace, f"{name}-{id_.name}"
        case group, "OperatorGroup" if group == _OLM:
            yield "OperatorGroup", id_.namespace, id_.name


def _texts(value: Any) -> dict[str, str]:  # noqa: ANN401 - as served
    return {key: text for key, text in mapping(value).items() if isinstance(text, str)}


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
