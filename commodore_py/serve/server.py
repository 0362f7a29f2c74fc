"""The server: uvicorn, with bounds for connections that it does not have, and a clean end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from commodore_py.errors import UsageError

from .app import STOP_SECONDS, application
from .daemon import Daemon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .settings import Settings

_HEADER_SECONDS = 10.0
_MOST_CONNECTIONS = 512
_MOST_OF_ADDRESS = 64


class _Protocol(H11Protocol):
    """HTTP with bounds for slow clients: of the time of headers, and of connections."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first request; of too many connections, close the one that waits longest."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self.address = self.client[0] if self.client else ""
        self.loop.call_later(_HEADER_SECONDS, self._end_if_at, None)
        every = [other for other in self.connections if isinstance(other, _Protocol)]
        of_address = [other for other in every if other.address == self.address]
        # Of a proxy, all connections have one address.
        is_crowded = len(of_address) > _MOST_OF_ADDRESS and not self.config.proxy_headers
        if is_crowded or len(every) > _MOST_CONNECTIONS:
            waiting = [other for other in (of_address if is_crowded else every) if other.waits]
            min(waiting, key=lambda other: other.since).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request that has begun."""
        super().data_received(data)
        if not self.transport.is_closing() and self.conn.trailing_data[0]:
            self.loop.call_later(_HEADER_SECONDS, self._end_if_at, self.cycle)

    @property
    def waits(self) -> bool:
        """Whether the rest of a request, or another one, is still to come."""
        is_open = not self.transport.is_closing()
        return is_open and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _end_if_at(self, cycle: object) -> None:
        """Close the connection if no other request has come in the meantime."""
        is_over = cycle is None or getattr(cycle, "response_complete", False)
        if self.cycle is cycle and is_over and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """A server whose signals are handled by the event loop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def serve(
    settings: Settings,
    sockets: list[Any],
    *,
    ready: Callable[[], None],
    tls: Path | None = None,
    behind_proxy: bool = False,
) -> None:
    """Serve until a signal: the first one lets jobs end, the second one does not."""

    async def run() -> None:
        daemon, loop = Daemon(settings), asyncio.get_running_loop()
        config = uvicorn.Config(
            application(daemon),
            loop="asyncio",
            http=_Protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=behind_proxy,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=round(STOP_SECONDS),
            ssl_certfile=tls,
        )
        try:
            config.load()
        except OSError as error:  # of TLS
            raise UsageError(f"the TLS file cannot be used: {error}") from error
        server = _Server(config)

        def stop(number: int) -> None:
            server.handle_exit(number, None)
            daemon.jobs.stopping.set()  # ends streams of events
            daemon.jobs.wake()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as below nohup
                loop.add_signal_handler(number, stop, number)
        loop.call_soon(ready)  # the sockets listen already
        with suppress(asyncio.CancelledError):
            await server.serve(sockets)

    asyncio.run(run())
