"""What changes in a cluster, as it happens."""

from __future__ import annotations

import math
import queue
import time
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from commodore_py.adapters import ending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.live.access.discovery import Api
    from commodore_py.live.cache.records import Record
    from commodore_py.manifests.health.status import Health
    from commodore_py.manifests.objects import ObjectId

    from .cluster import LiveCluster

Event: TypeAlias = Literal["created", "updated", "deleted", "health", "api added", "api removed"]
_LOOK_AGAIN = 0.2


class Happening(NamedTuple):
    """A change of an object, or of the kinds that there are."""

    event: Event
    id: ObjectId | None
    kind: str
    """The kind that came or went; empty for objects."""
    health: Health | None
    before: Health | None
    is_target: bool


def happenings(
    cluster: LiveCluster, *, everything: bool, seconds: float = math.inf
) -> Iterator[Happening]:
    """Changes from now on; with `everything`, also those that leave the health as it is."""
    until = time.monotonic() + seconds
    events: queue.SimpleQueue[Happening] = queue.SimpleQueue()
    targets = {one.id for one in cluster.targets if one.application is not None}
    healths: dict[ObjectId, Health | None] = {
        id_: _health(record)
        for id_ in cluster.cache.list()
        if (record := cluster.cache.get(id_)) is not None
    }

    def changed(event: Event, record: Record) -> None:
        before, now = healths.get(record.id), _health(record)
        healths[record.id] = now
        differs = (before and before[:2]) != (now and now[:2])
        if event == "updated" and differs:
            event = "health"
        if everything or event != "updated":
            events.put(Happening(event, record.id, "", now, before, record.id in targets))

    def gone(id_: ObjectId) -> None:
        events.put(Happening("deleted", id_, "", None, healths.pop(id_, None), id_ in targets))

    def kind(event: Event, api: Api) -> None:
        name = f"{api.kind}.{api.group}" if api.group else api.kind
        events.put(Happening(event, None, name, None, None, is_target=False))

    cache = cluster.cache
    ends = [
        cache.on_created(lambda record: changed("created", record)),
        cache.on_updated(lambda record: changed("updated", record)),
        cache.on_deleted(gone),
        cache.on_api_added(lambda api: kind("api added", api)),
        cache.on_api_removed(lambda api: kind("api removed", api)),
    ]
    try:
        while time.monotonic() < until:
            try:
                yield events.get(timeout=_LOOK_AGAIN)
            except queue.Empty:
                if ending.asked():
                    raise KeyboardInterrupt from None
    finally:
        for end in ends:
            end()


def _health(record: Record) -> Health | None:
    found: Health | None = record.info  # type: ignore[assignment]  # as `make` returned it
    return found
