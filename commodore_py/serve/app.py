"""The application, and the server that runs it."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from commodore_py import __version__
from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, UsageError

from . import api, page
from .access import Access
from .daemon import Daemon
from .failures import Refusal, as_data, refusal_as_data

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from pathlib import Path

    from starlette.responses import Response

    from .settings import Settings

log = logging.getLogger(__name__)

_HEADER_SECONDS = 10.0
_MOST_CONNECTIONS = 1000
_STOP_SECONDS = 10.0


def application(settings: Settings, daemon: Daemon) -> Access:
    """The application behind its access control."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        daemon.clusters.warm_up()
        reconciling = asyncio.get_running_loop().create_task(daemon.reconciler.run())
        yield
        reconciling.cancel()
        await daemon.jobs.stop(_STOP_SECONDS)

    app = FastAPI(
        title="commodore",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=lifespan,
    )
    app.add_exception_handler(CommodoreError, _understood)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unexpected)
    app.include_router(api.routes(daemon))
    access = Access(app, tokens=settings.tokens, origins=settings.origins)
    app.include_router(page.routes(daemon, access))
    return access


def _answer(request: Request, content: dict[str, Any], headers: Mapping[str, str]) -> Response:
    """An error for programs, or for people."""
    status = content["status"]
    if request.url.path.startswith("/v1/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(REDACTOR.masked_value(content), status, headers)
    return page.failed_page(content)


async def _understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, CommodoreError)  # noqa: S101 - it is registered for that
    return _answer(request, as_data(error), {})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)  # noqa: S101 - as above
    return _answer(request, refusal_as_data(error), error.headers)


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    refusal = Refusal(error.status_code, str(error.detail).lower(), error.headers)
    return _answer(request, refusal_as_data(refusal), refusal.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """A request of the wrong shape, with all that is wrong."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    content = refusal_as_data(Refusal(422, "the request is invalid"))
    content["reasons"] = [
        {
            "code": "request/invalid",
            "message": str(one["msg"]),
            "where": ".".join(map(str, one["loc"])),
        }
        for one in error.errors()
    ]
    return _answer(request, content, {})


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("%s %s: %s", request.method, request.url.path, type(error).__name__, exc_info=error)
    return JSONResponse(refusal_as_data(Refusal(500, "internal error")), 500)


class _Protocol(H11Protocol):
    """HTTP with a limit on the time that headers take: uvicorn has none."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Wait for the first request."""
        super().connection_made(transport)
        self.loop.call_later(_HEADER_SECONDS, self._end_if_at, None)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request that has begun."""
        super().data_received(data)
        if not self.transport.is_closing() and self.conn.trailing_data[0]:
            self.loop.call_later(_HEADER_SECONDS, self._end_if_at, self.cycle)

    def _end_if_at(self, cycle: object) -> None:
        """Close the connection if no other request has come in the meantime."""
        waits = cycle is None or getattr(cycle, "response_complete", False)
        if self.cycle is cycle and waits and not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """A server that ends its event streams and its jobs before it ends itself."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._stopping = stopping

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at signals: the first one lets jobs end, the second one does not."""
        signals = [
            one
            for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
            if signal.getsignal(one) is not signal.SIG_IGN  # as below nohup
        ]
        before = {one: signal.signal(one, self.handle_exit) for one in signals}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to stop."""
        super().handle_exit(sig, frame)
        self._stopping()


def serve(
    settings: Settings,
    sockets: list[Any],
    *,
    ready: Callable[[], None],
    tls: Path | None = None,
    behind_proxy: bool = False,
) -> None:
    """Serve until a signal ends it."""

    async def run() -> None:
        daemon = Daemon(settings)
        loop = asyncio.get_running_loop()

        def stop() -> None:
            daemon.jobs.stopping.set()
            loop.call_soon_threadsafe(daemon.jobs.wake)

        config = uvicorn.Config(
            application(settings, daemon),
            loop="asyncio",
            http=_Protocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=behind_proxy,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=round(_STOP_SECONDS),
            ssl_certfile=tls,
        )
        try:
            config.load()
        except OSError as error:  # of TLS
            raise UsageError(f"the TLS file cannot be used: {error}") from error
        server = Server(config, ready, stop)
        with suppress(asyncio.CancelledError):
            await server.serve(sockets)

    asyncio.run(run())
