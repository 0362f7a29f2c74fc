"""The cache of a cluster, for questions at one moment and to follow what changes."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partialmethod
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.client import FORBIDDEN, NOT_FOUND, UNAUTHORIZED
from commodore_py.live.access.discovery import discover
from commodore_py.manifests.objects import ObjectId

from .contents import Contents
from .listing import Part, listed
from .objects import iterate
from .settings import Settings, selects
from .watching import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api, Discovery

    from .contents import Event, Handler
    from .listing import Listed
    from .objects import Graph
    from .records import Record

log = logging.getLogger(__name__)

_AT_ONCE = 8
_TELL_APIS = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
}
_SECONDS_TO_SETTLE = 25
_SECONDS_TO_CLOSE = 3.0


@dataclass(frozen=True, slots=True)
class Info:
    """What a cache holds."""

    objects: int
    unseen: Mapping[str, str]
    """What cannot be read, and why."""


class ClusterCache:
    """The objects of one cluster; every method may be called from any thread.

    `load` reads everything once. `follow` keeps it up to date from then on, until `close`.
    """

    def __init__(
        self, client: Client, settings: Settings | None = None, kinds: Discovery | None = None
    ) -> None:
        """Kinds that are known already need not be asked for."""
        self._client = client
        self._known_kinds = kinds
        self._settings = settings or Settings()
        self._contents = Contents()
        self._loading = threading.Lock()
        self._versions: dict[Part, str] = {}
        self._watchers: dict[Part, Watcher] = {}
        self._kinds_thread: threading.Thread | None = None
        self._closed = threading.Event()
        self._kinds_changed = threading.Event()

    def load(self) -> None:
        """Read the kinds, then all objects of those that are held."""
        with self._loading:
            parts = self._discovered()
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                for part, found in zip(parts, pool.map(self._try_list, parts), strict=True):
                    self._take(part, found)

    def follow(self) -> None:
        """Load, and then watch; returns once everything is loaded."""
        for event in ("created", "updated", "deleted"):
            self._contents.events.subscribe(event, self._look_at_kinds)
        self.load()
        self._watch_all()
        self._kinds_thread = threading.Thread(target=self._keep_kinds, daemon=True, name="kinds")
        self._kinds_thread.start()

    def invalidate(self, settings: Settings | None = None) -> None:
        """Load everything again, with other settings if they are given."""
        self._settings = settings or self._settings
        was_watching = bool(self._watchers)
        for part in tuple(self._watchers):
            self._watchers.pop(part).close()
        self.load()
        if was_watching:
            self._watch_all()

    def close(self) -> None:
        """End all watches and requests, and call no more handlers."""
        self._closed.set()
        self._kinds_changed.set()
        self._contents.events.close()
        watchers = tuple(self._watchers.values())
        for watcher in watchers:
            watcher.close()
        self._client.close()
        # A thread within OpenSSL crashes the process when it exits.
        until = time.monotonic() + _SECONDS_TO_CLOSE
        for watcher in watchers:
            watcher.join(until)
        if self._kinds_thread is not None:
            self._kinds_thread.join(max(0.0, until - time.monotonic()))

    def list(
        self,
        selector: str = "",
        *,
        namespaces: Iterable[str] = (),
        namespaced_only: bool = False,
        cluster_only: bool = False,
        top_level_only: bool = False,
    ) -> tuple[ObjectId, ...]:
        """The ids of objects, sorted; copies of one object count once."""
        among = frozenset(namespaces)
        if namespaced_only and cluster_only:
            raise ValueError("namespaced_only and cluster_only contradict each other")
        if among and cluster_only:
            raise ValueError("namespaces and cluster_only contradict each other")
        fits = selects(selector)
        with self._contents.lock:
            objects = self._contents.objects
            found = [
                one.id
                for one in objects.nodes()
                if (not among or one.id.namespace in among)
                and (not namespaced_only or one.id.namespace)
                and (not cluster_only or not one.id.namespace)
                and fits(one.labels)
                and (not top_level_only or objects.is_top_level(one))
            ]
        return tuple(sorted(found))

    def get(self, id_: ObjectId) -> Record | None:
        """What is known about an object."""
        with self._contents.lock:
            return self._contents.objects.get(id_)

    def copies(self, id_: ObjectId) -> tuple[ObjectId, ...]:
        """Every id of an object: it may be served in several groups."""
        with self._contents.lock:
            record = self._contents.objects.get(id_)
            copies = self._contents.objects.copies(record.uid) if record is not None else ()
            return tuple(one.id for one in copies)

    def graph(self, roots: Iterable[ObjectId]) -> Graph:
        """Some objects and what they own."""
        with self._contents.lock:
            records = [self._contents.objects.get(one) for one in roots]
            return self._contents.objects.below(one for one in records if one is not None)

    def iterate_children(
        self, roots: Iterable[ObjectId], action: Callable[[Record], bool]
    ) -> tuple[tuple[ObjectId, ...], ...]:
        """Visit objects and what they own, each once and after its owners; the cycle found, if any.

        Where the action returns false, what only that object owns is left out.
        """
        return iterate(self.graph(roots), action)

    def api_metadata(self, group: str, kind: str) -> Api | None:
        """A kind as the server has it."""
        discovery = self._contents.discovery
        return None if discovery is None else discovery.find(group, kind)

    def holds(self, api: Api) -> bool:
        """Whether objects of a kind are held at all; those of others may be in the cluster."""
        return api.can_be_watched and self._settings.filter.holds(api)

    def unseen(self, group: str, kind: str, namespace: str = "") -> str:
        """Why objects of a kind cannot be read; empty if they can."""
        return self._contents.why_unseen(group, kind, namespace)

    def info(self) -> Info:
        """What is held, and what is not."""
        with self._contents.lock:
            count = sum(1 for _ in self._contents.objects.nodes())
            unseen = dict(sorted(self._contents.unseen.items()))
            return Info(count, unseen)

    def _subscribe(self, event: Event, handler: Handler) -> Callable[[], None]:
        """Call a handler with each such object, id or kind; the function returned ends that."""
        return self._contents.events.subscribe(event, handler)

    on_created = partialmethod(_subscribe, "created")
    on_updated = partialmethod(_subscribe, "updated")
    on_deleted = partialmethod(_subscribe, "deleted")
    on_api_added = partialmethod(_subscribe, "api added")
    on_api_removed = partialmethod(_subscribe, "api removed")

    def _discovered(self) -> tuple[Part, ...]:
        """The parts that are held; those that are no longer served are forgotten."""
        before = self._contents.discovery
        found = (self._known_kinds if before is None else None) or discover(self._client, before)
        parts: tuple[Part, ...] = ()
        for api in found.preferred():
            if self._settings.filter.holds(api):
                version = self._settings.versions.get(api.key, "")
                other = found.find(*api.key, version) if version else None
                api = other if other is not None and other.can_be_watched else api  # noqa: PLW2901
                namespaces = self._settings.namespaces if api.namespaced else ()
                parts += tuple(Part(api, namespace) for namespace in namespaces or ("",))
        self._contents.set_kinds(found)
        places = {(part.api.key, part.namespace) for part in parts}
        for part in self._versions.keys() - set(parts):
            self._release(part)
            if (part.api.key, part.namespace) not in places:
                self._contents.forget(part)
        return parts

    def _try_list(self, part: Part) -> Listed | HttpError:
        try:
            return listed(self._client, part, self._settings)
        except HttpError as error:
            # A server of its own may be away that has this kind, while the rest can be read.
            is_away = error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            if is_away or error.status in (NOT_FOUND, UNAUTHORIZED, FORBIDDEN):
                return error
            raise

    def _take(self, part: Part, found: Listed | HttpError) -> None:
        if not isinstance(found, HttpError):
            self._versions[part] = found.version
            self._contents.replace(part, found.records)
            return
        self._release(part)
        self._contents.forget(part, "" if found.status == NOT_FOUND else str(found))

    def _watch_all(self) -> None:
        for part, version in tuple(self._versions.items()):
            if part not in self._watchers and not self._closed.is_set():
                watcher = Watcher(self._client, part, version, self._contents, self._settings)
                self._watchers[part] = watcher

    def _release(self, part: Part) -> None:
        self._versions.pop(part, None)
        if (watcher := self._watchers.pop(part, None)) is not None:
            watcher.close()

    def _look_at_kinds(self, subject: Record | ObjectId) -> None:
        """Objects that define kinds have changed."""
        id_ = subject if isinstance(subject, ObjectId) else subject.id
        if (id_.group, id_.kind) in _TELL_APIS:
            self._kinds_changed.set()

    def _keep_kinds(self) -> None:
        """After a change of what is served, look until the server has settled."""
        while not self._closed.is_set():
            self._kinds_changed.wait(self._settings.resync)
            for _ in range(_SECONDS_TO_SETTLE):
                if self._closed.is_set():
                    return
                self._kinds_changed.clear()
                try:
                    self._load_new()
                except HttpError as error:
                    if not self._closed.is_set():
                        log.warning("the kinds of the cluster cannot be read: %s", error)
                except KeyboardInterrupt:
                    return
                self._kinds_changed.wait(1)

    def _load_new(self) -> None:
        with self._loading:
            for part in self._discovered():
                if part not in self._versions:
                    self._take(part, self._try_list(part))
            self._watch_all()
