"""Read the objects of a cluster, once: lists of the kinds that are of interest, page by page."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.client import (
    AT_ONCE,
    FORBIDDEN,
    GONE,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    UNAUTHORIZED,
)
from commodore_py.manifests.objects import mapping, mappings

from .objects import STATEFUL_SET, Objects, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api, Discovery
    from commodore_py.manifests.objects import ObjectId

    from .objects import Record

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_PAGE = "500"
_SILENT = "its API does not answer"
_RESTLESS_KINDS = {("", "Event"), ("coordination.k8s.io", "Lease")}
_RESTLESS_GROUPS = {"events.k8s.io", "metrics.k8s.io"}
"""What changes all the time and is of no interest here."""
EVERY_KIND = "*"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Objects of a kind, or of all kinds of a group (`*`), in one namespace if it is named."""

    group: str
    kind: str
    namespace: str = ""

    def __str__(self) -> str:
        name = f"{self.kind}.{self.group}" if self.group else self.kind
        return f"{name} in {self.namespace}" if self.namespace else name


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects are read, and how."""

    kinds: frozenset[tuple[str, str]] | None = None
    """Only these; None for all but those that change all the time."""
    namespaces: tuple[str, ...] = ()
    """Only these, and what is outside of namespaces; all, if there are none."""
    whole: Callable[[str, str], bool] = lambda _group, _kind: False
    """Kinds that are read as whole objects; of others, only metadata leaves the server."""
    keeps: Callable[[ObjectId], bool] = lambda _: True
    """Objects of these kinds whose content is kept."""
    versions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Versions of kinds, by group and kind, where it shall not be the preferred one."""

    def holds(self, api: Api) -> bool:
        """Return whether objects of a kind are read."""
        if self.kinds is not None:
            return api.key in self.kinds
        return api.key not in _RESTLESS_KINDS and api.group not in _RESTLESS_GROUPS


@dataclass(frozen=True, slots=True)
class ClusterObjects:
    """The objects of a cluster as they were when they were read."""

    kinds: Discovery
    selection: Selection
    objects: Objects
    unseen: Mapping[Place, str]
    """What cannot be read, and why."""

    def get(self, id_: ObjectId) -> Record | None:
        """The object of an id."""
        return self.objects.get(id_)

    def holds(self, api: Api) -> bool:
        """Return whether objects of a kind are held; those of others may be in the cluster."""
        return api.can_be_watched and self.selection.holds(api)

    def why_unseen(self, group: str, kind: str, namespace: str = "") -> str:
        """Why objects of a kind cannot be read; empty if they can."""
        for place in (namespace, ""):
            if why := self.unseen.get(Place(group, kind, place)):
                return why
        if self.kinds.find(group, kind) is None:
            return self.unseen.get(Place(group, EVERY_KIND), "")
        return ""


def read_objects(client: Client, selection: Selection, kinds: Discovery) -> ClusterObjects:
    """Read all objects that are selected."""
    parts = tuple(_parts(selection, kinds))
    unseen = {Place(group, EVERY_KIND): _SILENT for group in kinds.silent_groups}
    records: list[Record] = []

    def read(part: tuple[Api, str]) -> list[Record] | HttpError:
        try:
            return _listed(client, *part, selection)
        except HttpError as error:
            # A server of its own may be away that has this kind, while the rest can be read.
            is_away = error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            if is_away or error.status in (NOT_FOUND, UNAUTHORIZED, FORBIDDEN):
                return error
            raise

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for (api, namespace), answer in zip(parts, pool.map(read, parts), strict=True):
            if not isinstance(answer, HttpError):
                records += answer
            elif answer.status != NOT_FOUND:
                unseen[Place(*api.key, namespace)] = str(answer)
    return ClusterObjects(kinds, selection, Objects(records), dict(sorted(unseen.items())))


def _parts(selection: Selection, kinds: Discovery) -> Iterator[tuple[Api, str]]:
    """Kinds and namespaces to list: each in the preferred version, or in that of the catalog."""
    for api in kinds.preferred():
        if selection.holds(api):
            version = selection.versions.get(api.key, "")
            other = kinds.find(*api.key, version) if version else None
            served = other if other is not None and other.can_be_watched else api
            namespaces = selection.namespaces if api.namespaced else ()
            yield from ((served, namespace) for namespace in namespaces or ("",))


def _listed(client: Client, api: Api, namespace: str, selection: Selection) -> list[Record]:
    """The objects of a kind: pages of one state, or one list if that state is gone."""
    is_whole = selection.whole(*api.key)
    # What a StatefulSet owns is named in its content.
    accept = _JSON if is_whole or api.key == STATEFUL_SET else _METADATA

    def pages(params: dict[str, str]) -> Iterator[dict[str, Any]]:
        while True:
            answer = _page(client, api.path(namespace), params, accept)
            yield from answer.get("items") or ()
            following = mapping(answer.get("metadata")).get("continue")
            if not following:
                return
            params["continue"] = str(following)

    def keeps(id_: ObjectId) -> bool:
        return is_whole and selection.keeps(id_)

    try:
        return [record_of(api, item, keeps) for item in pages({"limit": _PAGE})]
    except HttpError as error:
        if error.status != GONE:
            raise
    return [record_of(api, item, keeps) for item in pages({})]


def _page(client: Client, path: str, params: dict[str, str], accept: str) -> dict[str, Any]:
    try:
        answer = client.get(path, params, accept=accept)
    except HttpError as error:
        if error.status != NOT_ACCEPTABLE:
            raise
        answer = client.get(path, params)
    items = mapping(answer).get("items") or []
    if not isinstance(answer, dict) or mappings(items) != items:
        raise HttpError("answered with something that is not a list of objects", where=path)
    return answer
