"""The server: the application in uvicorn, with bounds for connections, and a clean end."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from commodore_py import __version__
from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, UsageError

from . import api, page
from .access import Access
from .daemon import Daemon
from .failures import as_data, failure
from .processes import Processes
from .reconcile import Reconciler

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from pathlib import Path

    from starlette.responses import Response

    from .settings import Settings

log = logging.getLogger(__name__)

_HEADER_SECONDS = 10.0
_STOP_SECONDS = 10.0
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
        """Return whether the client has to send more of a request, or another one."""
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
        tokens = (token.value for token in settings.tokens.values())
        processes = Processes(tuple(filter(None, (*tokens, settings.hook_secret))))
        daemon, loop = Daemon(settings, processes), asyncio.get_running_loop()
        config = uvicorn.Config(
            _application(daemon),
            loop="asyncio",
            http=_Protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=behind_proxy,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=round(_STOP_SECONDS),
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


def _application(daemon: Daemon) -> Access:
    """The application behind its access control."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming_up = asyncio.create_task(daemon.heads_in_time())
        reconciling = asyncio.create_task(app.state.reconciler.run())
        yield
        warming_up.cancel()
        reconciling.cancel()
        await daemon.jobs.stop(_STOP_SECONDS)

    app = FastAPI(
        title="commodore",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        default_response_class=api.Json,
        lifespan=lifespan,
    )
    for kind in (CommodoreError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _failed)
    app.include_router(api.router)
    app.include_router(page.router)
    access = Access(app, daemon.settings)
    app.state.daemon, app.state.reconciler = daemon, Reconciler(daemon)
    app.state.access = access
    return access


async def _failed(request: Request, error: Exception) -> Response:
    """An error for programs, or for people."""
    headers = None
    match error:
        case CommodoreError():
            content = as_data(error)
        case HTTPException():
            content = failure(error.status_code, str(error.detail).lower())
            headers = error.headers
        case RequestValidationError():
            problems = error.errors()
            status = 404 if any(problem["loc"][0] == "path" for problem in problems) else 422
            content = failure(status, "the request is invalid", map(_invalid, problems))
        case _:
            where = f"{request.method} {request.url.path}"
            log.error("%s: %s", where, type(error).__name__, exc_info=error)
            content = failure(500, "internal error")
    if request.url.path.startswith("/v1/") or "text/html" not in request.headers.get("accept", ""):
        return api.Json(REDACTOR.masked_value(content), content["status"], headers)
    return page.failed_page(content)


def _invalid(problem: Mapping[str, Any]) -> dict[str, str]:
    """A part of a request that has the wrong shape."""
    where = ".".join(map(str, problem["loc"]))
    return {"code": "request/invalid", "message": str(problem["msg"]), "where": where}
