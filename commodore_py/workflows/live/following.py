"""What changes in a cluster, as it happens."""

from __future__ import annotations

import math
import queue
import time
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from commodore_py.adapters import ending
from commodore_py.live.access.discovery import Api
from commodore_py.manifests.objects import ObjectId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from commodore_py.live.cache.records import Record
    from commodore_py.manifests.health.status import Health

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
    """Changes from this call on; with `everything`, also those that leave the health as it is."""
    until = time.monotonic() + seconds
    events: queue.SimpleQueue[tuple[Event, Record | ObjectId | Api]] = queue.SimpleQueue()
    cache = cluster.cache
    # Subscribed first: what happens while the objects are read is in the queue as well.
    ends = [
        cache.on_created(lambda record: events.put(("created", record))),
        cache.on_updated(lambda record: events.put(("updated", record))),
        cache.on_deleted(lambda id_: events.put(("deleted", id_))),
        cache.on_api_added(lambda api: events.put(("api added", api))),
        cache.on_api_removed(lambda api: events.put(("api removed", api))),
    ]
    known = {id_: record for id_ in cache.list() if (record := cache.get(id_)) is not None}
    targets = {one.id for one in cluster.targets if one.application is not None}

    def follow() -> Iterator[Happening]:
        try:
            while time.monotonic() < until:
                try:
                    event, subject = events.get(timeout=_LOOK_AGAIN)
                except queue.Empty:
                    if ending.asked():
                        raise KeyboardInterrupt from None
                    continue
                found = _happening(event, subject, known, targets)
                if found is not None and (everything or found.event != "updated"):
                    yield found
        finally:
            for end in ends:
                end()

    return follow()


def _happening(
    event: Event,
    subject: Record | ObjectId | Api,
    known: dict[ObjectId, Record],
    targets: Collection[ObjectId],
) -> Happening | None:
    """A change, and what it means for the health; None for what was seen before."""
    if isinstance(subject, Api):
        name = f"{subject.kind}.{subject.group}" if subject.group else subject.kind
        return Happening(event, None, name, None, None, is_target=False)
    if isinstance(subject, ObjectId):
        gone = known.pop(subject, None)
        before = _health(gone) if gone is not None else None
        return Happening(event, subject, "", None, before, subject in targets)
    old, known[subject.id] = known.get(subject.id), subject
    if old is not None and (old.uid, old.version) == (subject.uid, subject.version):
        return None
    before, now = _health(old) if old is not None else None, _health(subject)
    if event == "updated" and (before and before[:2]) != (now and now[:2]):
        event = "health"
    return Happening(event, subject.id, "", now, before, subject.id in targets)


def _health(record: Record) -> Health | None:
    found: Health | None = record.info  # type: ignore[assignment]  # as `make` returned it
    return found
