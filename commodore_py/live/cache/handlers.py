"""Handlers of changes: called on one thread, in order for each object, outside of locks."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

log = logging.getLogger(__name__)

CREATED, UPDATED, DELETED = "created", "updated", "deleted"
API_ADDED, API_REMOVED = "api added", "api removed"

Handler: TypeAlias = "Callable[[Any], object]"


class Happened(NamedTuple):
    """A change, and what is handed to the handlers."""

    kind: str
    subject: Any


class Handlers:
    """While a handler is slow, updates of an object become one; deletions are never lost."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self._pending: OrderedDict[Hashable, list[Happened]] = OrderedDict()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._busy = False

    def subscribe(self, kind: str, handler: Handler) -> Callable[[], None]:
        """Call a handler from now on, until the function that is returned is called."""
        with self._changed:
            self._handlers.setdefault(kind, []).append(handler)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True, name="handlers")
                self._thread.start()

        def unsubscribe() -> None:
            with self._changed:
                if handler in self._handlers.get(kind, ()):
                    self._handlers[kind].remove(handler)

        return unsubscribe

    def happened(self, key: Hashable, kind: str, subject: object) -> None:
        """A change of something; returns at once."""
        with self._changed:
            if self._thread is None or self._closed:
                return
            pending = self._pending.setdefault(key, [])
            if kind == UPDATED and pending and pending[-1].kind in (CREATED, UPDATED):
                pending[-1] = Happened(pending[-1].kind, subject)
            else:
                pending.append(Happened(kind, subject))
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until everything that has happened was handled."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._pending and not self._busy, seconds)

    def close(self) -> None:
        """Call no more handlers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or self._pending)
                if self._closed:
                    return
                _, events = self._pending.popitem(last=False)
                self._busy = True
            for event in events:
                self._call(event)

    def _call(self, event: Happened) -> None:
        with self._changed:
            handlers = tuple(self._handlers.get(event.kind, ()))
        for one in handlers:
            try:
                one(event.subject)
            except Exception:  # a handler is code of others: the next one is called all the same
                log.exception("a handler of %s failed", event.kind)
