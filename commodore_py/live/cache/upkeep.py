"""Loads a cache, and keeps it up to date by watches and polls."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.client import FORBIDDEN, NOT_FOUND, UNAUTHORIZED
from commodore_py.live.access.discovery import discover

from .contents import Contents, group_of
from .listing import Part, Reader, listed
from .watching import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api, Discovery

    from .listing import Listed
    from .settings import Settings

log = logging.getLogger(__name__)

_AT_ONCE = 8
_ATTEMPTS_TO_SETTLE = 25
_SOON = 1.0
_SERVER_ERROR = 500


class Upkeep:
    """Reads a cluster into the content of a cache."""

    def __init__(self, client: Client, settings: Settings, contents: Contents) -> None:
        self._client = client
        self._settings = settings
        self._contents = contents
        contents.kinds_changed = self.look_at_kinds
        self._loading = threading.Lock()
        self._versions: dict[Part, str] = {}
        self._watchers: dict[Part, Watcher] = {}
        self._polled: set[Part] = set()
        self._readers: dict[Api, Reader] = {}
        self._follows = False
        self._closed = threading.Event()
        self._kinds_changed = threading.Event()

    @property
    def watched(self) -> int:
        """How many parts are watched."""
        return len(self._watchers)

    @property
    def polled(self) -> tuple[str, ...]:
        """The parts that are listed again and again, as there are too many to watch."""
        return tuple(sorted(map(str, self._polled)))

    def load(self) -> None:
        """Read the kinds, then all objects of those that are held."""
        with self._loading:
            parts = self._discovered()
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                # In the order of the parts, and as soon as each is there.
                for part, found in zip(parts, pool.map(self._try_list, parts), strict=True):
                    if found is not None:
                        self.replace(part, found)

    def follow(self) -> None:
        """Load, then watch; returns once everything is loaded."""
        self._follows = True
        self.load()
        self._watch_all()
        for work, name in ((self._keep_kinds, "kinds"), (self._keep_polled, "polled kinds")):
            threading.Thread(target=work, daemon=True, name=name).start()

    def reload(self, settings: Settings) -> None:
        """Load everything again."""
        self._settings = settings
        self._readers.clear()
        self._stop_watching()
        self.load()
        if self._follows:
            self._watch_all()

    def close(self) -> None:
        """End all watches and requests."""
        self._closed.set()
        self._kinds_changed.set()
        self._stop_watching()
        self._client.close()

    def look_at_kinds(self) -> None:
        """Kinds may have come or gone: look soon."""
        if self._follows:
            self._kinds_changed.set()

    # What watchers report

    def replace(self, part: Part, listed: Listed) -> None:
        """All objects of a part as they are now."""
        self._versions[part] = listed.version
        self._contents.replace(part, listed)

    def relist(self, part: Part) -> Listed:
        """List a part again."""
        return listed(self._client, part, self._reader(part.api))

    def lose(self, part: Part, why: str) -> None:
        """A part can no longer be read: its objects are unseen."""
        self._release(part)
        self._contents.forget(part, why)

    def vanish(self, part: Part) -> None:
        """A part is no longer served."""
        self._release(part)
        self._contents.forget(part)
        self.look_at_kinds()

    # Inside

    def _discovered(self) -> list[Part]:
        found = discover(self._client)
        held = [one for one in found.preferred() if self._settings.filter.holds(one)]
        parts = [part for one in held for part in self._parts_of(self._in_version(one, found))]
        self._contents.set_kinds(found)
        places = {(part.api.key, part.namespace) for part in parts}
        silent = {group_of(one) for one in found.silent}
        for part in [*self._versions]:
            if part not in parts:
                self._release(part)
                is_elsewhere = (part.api.key, part.namespace) in places
                if not is_elsewhere and part.api.group not in silent:
                    self._contents.forget(part)
        return parts

    def _in_version(self, api: Api, found: Discovery) -> Api:
        version = self._settings.versions.get(api.key)
        other = found.find(*api.key, version) if version else api
        return other if other is not None and other.can_be_watched else api

    def _parts_of(self, api: Api) -> list[Part]:
        namespaces = self._settings.namespaces
        if not namespaces:
            return [Part(api)]
        if api.namespaced:
            return [Part(api, namespace) for namespace in namespaces]
        return [Part(api)] if self._settings.cluster_resources else []

    def _try_list(self, part: Part) -> Listed | None:
        try:
            return self.relist(part)
        except HttpError as error:
            if error.status == NOT_FOUND:
                self._contents.forget(part)
                return None
            if self._may_be_dropped(part, error):
                self.lose(part, str(error))
                return None
            raise

    def _may_be_dropped(self, part: Part, error: HttpError) -> bool:
        """Whether a part that cannot be read is unseen; else nothing can be said at all."""
        if error.status not in (UNAUTHORIZED, FORBIDDEN):
            return error.status >= _SERVER_ERROR  # its server is away, the others are not
        match self._settings.rights:
            case "off":
                return False
            case "react":
                return True
        return not self._client.can("list", part.api.group, part.api.resource, part.namespace)

    def _reader(self, api: Api) -> Reader:
        found = self._readers.get(api)
        if found is None:
            found = self._readers[api] = Reader(api, self._settings)
        return found

    def _watch_all(self) -> None:
        for part in sorted(self._versions, key=str):
            if part in self._watchers or part in self._polled or self._closed.is_set():
                continue
            if len(self._watchers) >= self._settings.most_watches:
                self._polled.add(part)
                continue
            reader, relist = self._reader(part.api), self._settings.relist
            watcher = Watcher(self._client, part, reader, self._contents, self, relist=relist)
            self._watchers[part] = watcher
            watcher.start(self._versions[part])

    def _stop_watching(self) -> None:
        for part in [*self._watchers]:
            self._watchers.pop(part).close()
        self._polled.clear()

    def _release(self, part: Part) -> None:
        self._versions.pop(part, None)
        self._polled.discard(part)
        watcher = self._watchers.pop(part, None)
        if watcher is not None:
            watcher.close()

    def _keep_kinds(self) -> None:
        """After a change of what is served, look until the server has settled."""
        while not self._closed.is_set():
            if not self._kinds_changed.wait(self._settings.resync):
                self._guarded(lambda: self.reload(self._settings))
            for _ in range(_ATTEMPTS_TO_SETTLE):
                if self._closed.is_set():
                    return
                self._kinds_changed.clear()
                self._guarded(self._load_new)
                self._kinds_changed.wait(_SOON)

    def _load_new(self) -> None:
        with self._loading:
            for part in self._discovered():
                if part not in self._versions:
                    found = self._try_list(part)
                    if found is not None:
                        self.replace(part, found)
            self._watch_all()

    def _keep_polled(self) -> None:
        while not self._closed.wait(self._settings.poll):
            for part in sorted(self._polled, key=str):
                self._guarded(partial(self._poll, part))

    def _poll(self, part: Part) -> None:
        found = self._try_list(part)
        if found is not None and part in self._polled:
            self.replace(part, found)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except HttpError as error:
            if not self._closed.is_set():
                log.warning("the cluster cannot be read: %s", error)
        except KeyboardInterrupt:
            self._closed.set()
