"""Watches: the changes of a part, through everything that ends a connection."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError
from commodore_py.live.access.answers import mapping
from commodore_py.live.access.client import FORBIDDEN, GONE, NOT_FOUND, UNAUTHORIZED

from .listing import listed
from .records import record_of

if TYPE_CHECKING:
    from commodore_py.live.access.client import Client

    from .contents import Contents
    from .listing import Part
    from .settings import Settings

log = logging.getLogger(__name__)

# Of its own: others may depend on the state of the module's.
_RANDOM = random.Random()  # noqa: S311 - so that not all come at once

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_SLACK = 60


class Watcher:
    """Keeps one part up to date, on a thread of its own, until it is closed."""

    def __init__(
        self, client: Client, part: Part, version: str, contents: Contents, settings: Settings
    ) -> None:
        self._client, self._part, self._version = client, part, version
        self._contents, self._settings = contents, settings
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name=f"watch {part}")
        self._thread.start()

    def close(self) -> None:
        """End soon."""
        self._closed.set()

    def join(self, until: float) -> None:
        """Wait for the end of the thread, until a time of the monotonic clock at most."""
        self._thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        pause = _FIRST_PAUSE
        listed_at = time.monotonic()
        while not self._closed.is_set():
            began = time.monotonic()
            try:
                if not self._version or began - listed_at > self._settings.resync:
                    found = listed(self._client, self._part, self._settings)
                    if self._closed.is_set():
                        return
                    self._contents.replace(self._part, found.records)
                    self._version, listed_at = found.version, time.monotonic()
                self._follow(listed_at + self._settings.resync)
                pause = _FIRST_PAUSE
            except HttpError as error:
                if self._closed.is_set():
                    return
                self._look_at(error)
            except CommodoreError as error:  # half a line; credentials that cannot be renewed
                log.info("the watch of %s ended: %s", self._part, error)
            except KeyboardInterrupt:
                return
            if time.monotonic() - began < pause:
                self._closed.wait(pause * _RANDOM.uniform(0.8, 1.2))
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _look_at(self, error: HttpError) -> None:
        """Forget what can no longer be read; it is looked for again, as all else."""
        if error.status in (NOT_FOUND, FORBIDDEN, UNAUTHORIZED, GONE):
            self._version = ""
        if error.status == NOT_FOUND:
            self._contents.forget(self._part)
        elif error.status in (FORBIDDEN, UNAUTHORIZED):
            log.warning("%s can no longer be read: %s", self._part, error)
            self._contents.forget(self._part, str(error))
        else:
            log.info("the watch of %s ended: %s", self._part, error)

    def _follow(self, until: float) -> None:
        """Take events until the server ends the watch, or the next list is due.

        The version is that of the last event also if the watch fails: none is taken twice.
        """
        seconds = max(1, int(until - time.monotonic()) + _RANDOM.randint(0, 5))
        params = {
            "watch": "true",
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
        }
        path = self._part.api.path(self._part.namespace)
        accept = self._part.accept(self._settings, is_list=False)
        for event in self._client.events(path, params, accept=accept, idle=seconds + _SLACK):
            if self._closed.is_set():
                return
            self._version = self._take(event) or self._version

    def _take(self, event: Any) -> str:  # noqa: ANN401 - as served
        kind = event.get("type") if isinstance(event, dict) else None
        content = event.get("object") if isinstance(event, dict) else None
        if not isinstance(content, dict):
            raise HttpError("the watch sent something that is not an event", where=str(self._part))
        if kind == "ERROR":
            error = HttpError(f"the watch failed: {content.get('message')}", where=str(self._part))
            code = content.get("code")
            error.status = code if isinstance(code, int) else 0
            raise error
        if kind == "BOOKMARK":
            return str(mapping(content.get("metadata")).get("resourceVersion") or "")
        record = record_of(self._part.api, content, self._settings)
        if kind == "DELETED":
            self._contents.drop(record)
        else:
            self._contents.put(record)
        return record.version
