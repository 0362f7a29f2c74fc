"""Watches: the changes of a part, through everything that ends a connection."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError
from commodore_py.live.access.answers import mapping
from commodore_py.live.access.client import FORBIDDEN, GONE, NOT_FOUND, UNAUTHORIZED

if TYPE_CHECKING:
    from commodore_py.live.access.client import Client

    from .contents import Contents
    from .listing import Listed, Part, Reader

log = logging.getLogger(__name__)

# Of its own: others may depend on the state of the module's.
_RANDOM = random.Random()  # noqa: S311 - so that not all come at once

_SHORTEST, _LONGEST = 300, 600
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_SLACK = 60


class Keeper(Protocol):
    """Who keeps the parts."""

    def replace(self, part: Part, listed: Listed) -> None:
        """All objects of a part as they are now."""

    def lose(self, part: Part, why: str) -> None:
        """A part can no longer be read."""

    def vanish(self, part: Part) -> None:
        """A part is no longer served."""

    def relist(self, part: Part) -> Listed:
        """List a part again."""
        ...


class Expired(Exception):
    """The version of a watch is too old."""


class Watcher:
    """Keeps one part up to date, on a thread of its own, until it is closed."""

    def __init__(
        self,
        client: Client,
        part: Part,
        reader: Reader,
        contents: Contents,
        keeper: Keeper,
        *,
        relist: float,
    ) -> None:
        self.part = part
        self._client, self._reader = client, reader
        self._contents, self._keeper = contents, keeper
        self._relist = relist
        self._version = ""
        self._closed = threading.Event()

    def start(self, version: str) -> None:
        """Watch from a version on."""
        name = f"watch {self.part}"
        self._version = version
        threading.Thread(target=self._work, daemon=True, name=name).start()

    def close(self) -> None:
        """End soon."""
        self._closed.set()

    @property
    def is_closed(self) -> bool:
        """Whether it ends."""
        return self._closed.is_set()

    def _work(self) -> None:
        pause = _FIRST_PAUSE
        listed_at = time.monotonic()
        while not self.is_closed:
            began = time.monotonic()
            try:
                if not self._version or time.monotonic() - listed_at > self._relist:
                    listed = self._keeper.relist(self.part)
                    self._keeper.replace(self.part, listed)
                    self._version, listed_at = listed.version, time.monotonic()
                self._follow(listed_at + self._relist)
                pause = _FIRST_PAUSE
            except Expired:
                self._version = ""
            except HttpError as error:
                if self._is_over(error):
                    return
                if error.status == GONE:
                    self._version = ""
                log.info("the watch of %s ended: %s", self.part, error)
            except CommodoreError as error:  # half a line; credentials that cannot be renewed
                log.info("the watch of %s ended: %s", self.part, error)
            except KeyboardInterrupt:
                return
            if time.monotonic() - began < pause:
                self._closed.wait(pause * _RANDOM.uniform(0.8, 1.2))
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _is_over(self, error: HttpError) -> bool:
        if self.is_closed:
            return True
        if error.status == NOT_FOUND:
            self._keeper.vanish(self.part)
        elif error.status in (FORBIDDEN, UNAUTHORIZED):
            log.warning("%s can no longer be read: %s", self.part, error)
            self._keeper.lose(self.part, str(error))
        else:
            return False
        return True

    def _follow(self, until: float) -> None:
        """Take events until the server ends the watch, or the next list is due.

        The version is that of the last event also if the watch fails: none is taken twice.
        """
        seconds = _RANDOM.randint(_SHORTEST, _LONGEST)
        seconds = max(1, min(seconds, int(until - time.monotonic()) + 1))
        params = {
            "watch": "true",
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
        }
        path = self.part.api.path(self.part.namespace)
        accept = self._reader.accept(is_list=False)
        for event in self._client.events(path, params, accept=accept, idle=seconds + _SLACK):
            if self.is_closed:
                return
            self._version = self._take(event) or self._version

    def _take(self, event: Any) -> str:  # noqa: ANN401 - as served
        kind = event.get("type") if isinstance(event, dict) else None
        content = event.get("object") if isinstance(event, dict) else None
        if not isinstance(content, dict):
            raise HttpError("the watch sent something that is not an event", where=str(self.part))
        if kind == "ERROR":
            if content.get("code") == GONE:
                raise Expired
            error = HttpError(f"the watch failed: {content.get('message')}", where=str(self.part))
            code = content.get("code")
            error.status = code if isinstance(code, int) else 0
            raise error
        if kind == "BOOKMARK":
            return str(mapping(content.get("metadata")).get("resourceVersion") or "")
        record = self._reader.record(content)
        if kind == "DELETED":
            self._contents.drop(record)
        else:
            self._contents.put(record)
        return record.version
