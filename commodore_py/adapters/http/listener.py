"""A web server on loopback for the one request at the end of a login in a browser."""

from __future__ import annotations

import errno
import socket
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, urlsplit

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

_LOOPBACK = ("127.0.0.1", "::1")
_NO_SUCH_FAMILY = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
_SECONDS_TO_DECIDE = 60.0
_SECONDS_TO_SEND = 5.0
_PAGE_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    # The address of the page holds the code: it goes no further than this.
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}


class PortBusy(CommodoreError):
    """Another program listens there already."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the person sees in the browser."""

    status: int
    html: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """A browser that came back; it waits for its page."""

    query: Mapping[str, str]
    _page: Queue[Page] = field(default_factory=lambda: Queue(1))
    _sent: threading.Event = field(default_factory=threading.Event)

    def answer(self, page: Page) -> None:
        """Show a page, and return once it is on its way."""
        self._page.put(page)
        self._sent.wait(_SECONDS_TO_SEND)

    def page(self) -> Page:
        """What to show, as soon as that is known; for the server."""
        return self._page.get(timeout=_SECONDS_TO_DECIDE)

    def is_answered(self) -> None:
        """Note that the page is on its way; for the server."""
        self._sent.set()


class Listener:
    """Listens from `with` on; only arrivals at the root are handed over."""

    def __init__(self, host: str, port: int) -> None:
        self._arrivals: Queue[Arrival] = Queue()
        self._servers: list[_Server] = []
        try:
            for address in _LOOPBACK if host == "localhost" else (host,):
                self._listen(address, self.port if self._servers else port)
        except BaseException:
            self.close()
            raise

    @property
    def port(self) -> int:
        """The port that browsers are to come to."""
        return self._servers[0].server_port

    def arrival(self, *, within: float) -> Arrival | None:
        """The next browser that comes back, or None when none does in so many seconds."""
        try:
            return self._arrivals.get(timeout=max(within, 0))
        except Empty:
            return None

    def __enter__(self) -> Self:
        for server in self._servers:
            server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self._servers:
            server.stop()
        self.close()

    def close(self) -> None:
        """Give the port back."""
        for server in self._servers:
            server.server_close()

    def _listen(self, address: str, port: int) -> None:
        try:
            self._servers.append(_Server(address, port, self._arrivals))
        except (OSError, OverflowError) as error:
            code = getattr(error, "errno", None)
            if code in _NO_SUCH_FAMILY and self._servers:
                return  # a machine without IPv6 does well with the other one
            where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
            if code == errno.EADDRINUSE:
                raise PortBusy(f"another program listens on port {port}", where=where) from error
            raise CommodoreError(
                f"cannot listen: {getattr(error, 'strerror', None) or error}", where=where
            ) from error


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: str, port: int, arrivals: Queue[Arrival]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.arrivals = arrivals
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking anybody for our own name, which may take long."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def start(self) -> None:
        """Serve in the background."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more requests."""
        self.shutdown()
        self._thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Let go of a browser that went away; it is not our business."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    # Browsers open connections in advance and leave them idle.
    timeout = 30

    def do_GET(self) -> None:
        """Hand an arrival over, and send the page that comes back."""
        parts = urlsplit(self.path)
        if parts.path == "/healthz":
            self._send(Page(HTTPStatus.OK, "ok"), {"Content-Type": "text/plain"})
        elif parts.path == "/":
            arrival = Arrival(dict(parse_qsl(parts.query, keep_blank_values=True)))
            self.server.arrivals.put(arrival)
            self._send(arrival.page(), _PAGE_HEADERS)
            arrival.is_answered()
        else:
            self._send(Page(HTTPStatus.NOT_FOUND, "not here"), {"Content-Type": "text/plain"})

    def _send(self, page: Page, headers: Mapping[str, str]) -> None:
        body = page.html.encode()
        self.send_response(page.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Say nothing: the query holds the code."""
