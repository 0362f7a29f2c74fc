"""Answers that must be complete in time, however slowly they drip in."""

from __future__ import annotations

import http.client
import io
import time
from typing import TYPE_CHECKING, Any

from commodore_py import __version__
from commodore_py.adapters import ending, time_limits

from .address import split_url

if TYPE_CHECKING:
    import socket
    import threading

_TICK = 0.25
MOST_REDIRECTS = 5
USER_AGENT = f"commodore/{__version__}"


class OutOfTime(TimeoutError):
    """A server was still sending when its time was over."""

    def __init__(self, setting: str, seconds: float) -> None:
        super().__init__(f"no complete answer within {seconds:g} seconds")
        self.hint = time_limits.hint(setting, seconds)


class Watch:
    """The time of one exchange, redirects included; it begins now.

    `setting` is a name of the setting `time-limits`.
    """

    def __init__(self, url: str, setting: str, closed: threading.Event | None = None) -> None:
        self._closed = closed
        self._host = split_url(url).hostname or ""  # refuses a malformed URL
        self._setting = setting
        self._limit = getattr(time_limits.current(), setting)
        self.begin()

    def begin(self) -> None:
        """Begin again, for another exchange of the same session."""
        self._clock = time_limits.Clock(lambda: self._host)

    def look(self) -> None:
        """Say what is waited for, and raise if it is too late."""
        if ending.asked():
            raise KeyboardInterrupt
        if self._closed is not None and self._closed.is_set():
            raise ConnectionAbortedError("the connection was closed")
        passed = self._clock.passed()
        if self._limit and passed > self._limit:
            raise OutOfTime(self._setting, self._limit)


class _Content(io.RawIOBase):
    """Receive from a socket, with a look at the clock for every piece."""

    def __init__(self, raw: socket.SocketIO, sock: socket.socket, watch: Watch) -> None:
        self._raw, self._sock, self._watch = raw, sock, watch
        self._idle = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - Buffer is of Python 3.12
        until = None if self._idle is None else time.monotonic() + self._idle
        self._sock.settimeout(_TICK if self._idle is None else min(_TICK, self._idle))
        try:
            while True:
                self._watch.look()
                try:
                    return self._sock.recv_into(buffer)
                except TimeoutError:
                    if until is not None and time.monotonic() >= until:
                        raise
        finally:
            self._sock.settimeout(self._idle)

    def close(self) -> None:
        self._raw.close()
        super().close()


class Watched(http.client.HTTPResponse):
    """A response whose content is received with that watch."""

    watch: Watch

    def __init__(self, sock: socket.socket, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(sock, **options)
        raw: Any = self.fp.detach()  # a BufferedReader, of makefile
        self.fp = io.BufferedReader(_Content(raw, sock, self.watch))
