"""The content of a cache and the events about it, safe against several threads."""

from __future__ import annotations

import logging
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .objects import Objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.live.access.discovery import Discovery
    from commodore_py.manifests.objects import ObjectId

    from .listing import Part
    from .records import Record

    Handler: TypeAlias = Callable[[Any], object]

log = logging.getLogger(__name__)

Event: TypeAlias = Literal["created", "updated", "deleted", "api added", "api removed"]
_SILENT = "its API does not answer"


class Events:
    """Calls handlers on one thread, in the order of the events, outside of locks."""

    def __init__(self) -> None:
        self._handlers: list[tuple[Event, Handler]] = []
        self._pending: SimpleQueue[tuple[Event, object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def subscribe(self, event: Event, handler: Handler) -> Callable[[], None]:
        """Call a handler from now on, until the function that is returned is called."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="handlers")
            self._thread.start()
        entry = event, handler
        self._handlers = [*self._handlers, entry]

        def unsubscribe() -> None:
            # Replaced, not changed: the thread may be reading it.
            self._handlers = [one for one in self._handlers if one is not entry]

        return unsubscribe

    def report(self, event: Event, subject: object) -> None:
        """Hand an event to the handlers; returns at once."""
        if self._handlers:
            self._pending.put((event, subject))

    def close(self) -> None:
        """Call no more handlers."""
        self._handlers = []
        self._pending.put(None)

    def _work(self) -> None:
        while (pending := self._pending.get()) is not None:
            for event, handler in self._handlers:
                if event != pending[0]:
                    continue
                try:
                    handler(pending[1])
                except Exception:  # a handler is code of others: the next one is called
                    log.exception("a handler of %s failed", event)


class Contents:
    """Objects, kinds, and what could not be read."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.objects = Objects()
        self.events = Events()
        self.discovery: Discovery | None = None
        self.unseen: dict[str, str] = {}

    def replace(self, part: Part, records: tuple[Record, ...]) -> None:
        """All objects of a part as they are now; only what differs is an event."""
        with self.lock:
            new = {one.id for one in records}
            for one in self.objects.of_kind(*part.api.key, part.namespace):
                if one.id not in new:
                    self._remove(one)
            for one in records:
                self.put(one)
            self.unseen.pop(unseen_key(*part.api.key, part.namespace), None)

    def put(self, record: Record) -> None:
        """An object was created or changed."""
        with self.lock:
            before = self.objects.get(record.id)
            if before is not None and before.uid != record.uid:
                self._remove(before)  # deleted and created in the meantime
                before = None
            elif before is not None and before.version == record.version:
                return
            self.objects.put(record)
            is_node = self.objects.copies(record.uid)[0].id == record.id
            # Endpoints change all the time.
            is_quiet = before is not None and (record.id.group, record.id.kind) == ("", "Endpoints")
            if is_node and not is_quiet:  # a copy is reported once
                self.events.report("created" if before is None else "updated", record)

    def drop(self, record: Record) -> None:
        """An object was deleted."""
        with self.lock:
            known = self.objects.get(record.id)
            if known is not None and known.uid == record.uid:
                self._remove(known)

    def forget(self, part: Part, why: str = "") -> None:
        """A part is no longer served, or can no longer be read for some reason.

        What cannot be read is not deleted: there are no events.
        """
        with self.lock:
            for one in self.objects.of_kind(*part.api.key, part.namespace):
                if why:
                    self.objects.remove(one.id)
                else:
                    self._remove(one)
            if why:
                self.unseen[unseen_key(*part.api.key, part.namespace)] = why

    def set_kinds(self, found: Discovery) -> None:
        """The kinds that a server has now; objects of those that have gone go, too."""
        with self.lock:
            before, self.discovery = self.discovery, found
            self.unseen = {key: why for key, why in self.unseen.items() if why != _SILENT}
            self.unseen |= {unseen_key(group, "*"): _SILENT for group in found.silent_groups}
            if before is None:
                return
            old, new = ({one.key: one for one in of.preferred()} for of in (before, found))
            for key in sorted(new.keys() - old.keys()):
                self.events.report("api added", new[key])
            for key in sorted(old.keys() - new.keys()):
                for one in self.objects.of_kind(*key):
                    self._remove(one)
                self.events.report("api removed", old[key])

    def why_unseen(self, group: str, kind: str, namespace: str) -> str:
        """Why objects of a kind cannot be read; empty if they can."""
        with self.lock:
            for place in (namespace, ""):
                if why := self.unseen.get(unseen_key(group, kind, place)):
                    return why
            if self.discovery is None or self.discovery.find(group, kind) is None:
                return self.unseen.get(unseen_key(group, "*"), "")
        return ""

    def _remove(self, record: Record) -> None:
        self.objects.remove(record.id)
        if not self.objects.copies(record.uid):
            deleted: ObjectId = record.id
            self.events.report("deleted", deleted)


def unseen_key(group: str, kind: str, namespace: str = "") -> str:
    """How a kind that cannot be read is named."""
    name = f"{kind}.{group}" if group else kind
    return f"{name} in {namespace}" if namespace else name
