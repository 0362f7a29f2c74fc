"""The objects of a cluster, read once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.client import FORBIDDEN, NOT_FOUND, UNAUTHORIZED

from .listing import Part, listed
from .objects import Objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api, Discovery
    from commodore_py.manifests.objects import ObjectId

    from .objects import Graph
    from .records import Record
    from .settings import Settings

_AT_ONCE = 8
_SILENT = "its API does not answer"
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
class ClusterCache:
    """The objects of one cluster as they were when they were read."""

    kinds: Discovery
    settings: Settings
    objects: Objects
    unseen: Mapping[Place, str]
    """What cannot be read, and why."""

    def list(self, *, top_level_only: bool = False) -> tuple[ObjectId, ...]:
        """The ids of objects, sorted; copies of one object count once."""
        return tuple(
            node.id
            for node in self.objects.nodes()
            if not top_level_only or self.objects.is_top_level(node)
        )

    def get(self, id_: ObjectId) -> Record | None:
        """An object as the cache has it."""
        return self.objects.get(id_)

    def copies(self, id_: ObjectId) -> tuple[ObjectId, ...]:
        """Every id of an object: it may be served in several groups."""
        record = self.objects.get(id_)
        return tuple(copy.id for copy in self.objects.copies(record.uid)) if record else ()

    def graph(self, roots: Iterable[ObjectId]) -> Graph:
        """Some objects and what they own."""
        records = map(self.objects.get, roots)
        return self.objects.below(record for record in records if record is not None)

    def holds(self, api: Api) -> bool:
        """Return whether objects of a kind are held; those of others may be in the cluster."""
        return api.can_be_watched and self.settings.holds(api)

    def why_unseen(self, group: str, kind: str, namespace: str = "") -> str:
        """Why objects of a kind cannot be read; empty if they can."""
        for place in (namespace, ""):
            if why := self.unseen.get(Place(group, kind, place)):
                return why
        if self.kinds.find(group, kind) is None:
            return self.unseen.get(Place(group, EVERY_KIND), "")
        return ""


def load(client: Client, settings: Settings, kinds: Discovery) -> ClusterCache:
    """Read all objects of the kinds that the settings name."""
    parts = tuple(_parts(settings, kinds))
    unseen = {Place(group, EVERY_KIND): _SILENT for group in kinds.silent_groups}
    records: list[Record] = []

    def read(part: Part) -> tuple[Record, ...] | HttpError:
        try:
            return listed(client, part, settings)
        except HttpError as error:
            # A server of its own may be away that has this kind, while the rest can be read.
            is_away = error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            if is_away or error.status in (NOT_FOUND, UNAUTHORIZED, FORBIDDEN):
                return error
            raise

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for part, answer in zip(parts, pool.map(read, parts), strict=True):
            if not isinstance(answer, HttpError):
                records += answer
            elif answer.status != NOT_FOUND:
                unseen[Place(*part.api.key, part.namespace)] = str(answer)
    return ClusterCache(kinds, settings, Objects(records), dict(sorted(unseen.items())))


def _parts(settings: Settings, kinds: Discovery) -> Iterator[Part]:
    """Select kinds to list: each in the preferred version, or in that of the catalog."""
    for api in kinds.preferred():
        if settings.holds(api):
            version = settings.versions.get(api.key, "")
            other = kinds.find(*api.key, version) if version else None
            served = other if other is not None and other.can_be_watched else api
            namespaces = settings.namespaces if api.namespaced else ()
            yield from (Part(served, namespace) for namespace in namespaces or ("",))
