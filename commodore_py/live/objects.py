"""The objects of a cluster at one moment, and who owns what."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.objects import ObjectId, mapping, mappings, text

from .marks import ANNOTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.live.access.discovery import Api
    from commodore_py.manifests.objects import Content

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
    """Those that marks need."""
    is_ending: bool
    owners: tuple[str, ...]
    """UIDs of the owners that the object names."""
    wants: tuple[Key, ...]
    """Keys of its owners, also where Kubernetes names none."""
    offers: tuple[Key, ...]
    """Keys besides its UID under which others may name it as their owner."""
    manifest: Content | None = None


class Objects:
    """Records by id; copies of one UID are one object, under the first of its ids."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_id = {record.id: record for record in records}
        self._by_uid: dict[str, list[Record]] = defaultdict(list)
        for record in sorted(self._by_id.values(), key=lambda record: record.id):
            self._by_uid[record.uid].append(record)

    def get(self, id_: ObjectId) -> Record | None:
        """The object of an id, copies included."""
        return self._by_id.get(id_)

    def copies(self, record: Record) -> set[ObjectId]:
        """Every id of an object: it may be served in several groups."""
        return {copy.id for copy in self._by_uid[record.uid]}

    def all(self) -> tuple[Record, ...]:
        """Every object once, by id."""
        return tuple(copies[0] for copies in self._by_uid.values())

    def top_level(self) -> Iterator[Record]:
        """Objects that name no owner, and for which none is inferred."""
        inferred = {record.uid for owned in self.children.values() for record in owned}
        return (record for record in self.all() if not record.owners and record.uid not in inferred)

    @cached_property
    def children(self) -> Mapping[str, tuple[Record, ...]]:
        """Owned objects by the UID of their owner."""
        offered: dict[Key, list[Record]] = defaultdict(list)
        for uid, copies in self._by_uid.items():
            for key in {uid, *(key for copy in copies for key in copy.offers)}:
                offered[key].append(copies[0])
        owned: dict[str, list[Record]] = defaultdict(list)
        for record in self.all():
            owners = {
                owner.uid
                for key in record.wants
                for owner in offered.get(key, ())
                # An owner within a namespace counts in that namespace only.
                if owner.id.namespace in ("", record.id.namespace)
            }
            for uid in owners:
                owned[uid].append(record)
        return {uid: tuple(records) for uid, records in owned.items()}

    def cycle(self) -> tuple[ObjectId, ...]:
        """Objects that own themselves, in the end, sorted; the first such cycle."""
        owners = {uid: [child.uid for child in owned] for uid, owned in self.children.items()}
        try:
            TopologicalSorter(owners).prepare()
        except CycleError as error:
            return tuple(sorted({self._by_uid[uid][0].id for uid in error.args[1]}))
        return ()


def record_of(api: Api, content: Content, keeps: Callable[[ObjectId], bool]) -> Record:
    """Reduce an object to its record; `keeps` decides about its content."""
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
    if keeps(id_):
        # Items of a list don't say what they are.
        manifest = {"apiVersion": api.api_version, "kind": api.kind, **content}
    uids = tuple(_text(owner, "uid") for owner in owners)
    return Record(
        id_,
        uid,
        _text(metadata, "resourceVersion"),
        {intern(key): intern(value) for key, value in _texts(metadata.get("labels")).items()},
        {key: annotations[key] for key in ANNOTATIONS & annotations.keys()},
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


def _texts(value: object) -> dict[str, str]:
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}


def _text(fields: Mapping[str, Any], name: str) -> str:
    return text(fields.get(name))
