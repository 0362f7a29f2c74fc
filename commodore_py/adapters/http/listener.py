"""A web server on loopback for the one request at the end of a login in a browser."""

from __future__ import annotations

import errno
import socket
import threading
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOPBACK = ("127.0.0.1", "::1")
_NO_SUCH_FAMILY = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    # The address of the page holds the code: it goes no further than this.
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Connection": "close",
}


class PortBusy(CommodoreError):
    """Another program listens on the port."""


class Page(NamedTuple):
    """What the browser shows."""

    status: int
    html: str


NOT_HERE = Page(HTTPStatus.NOT_FOUND, "not here")


class Listener:
    """Serves a login: the first request for its root is answered by `respond`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.respond: Callable[[dict[str, str]], Page] = lambda _: NOT_HERE
        self._answered = threading.Event()
        self._lock = threading.Lock()
        self._page: Page | None = None

    def wait(self, seconds: float) -> bool:
        """Wait until a browser has been answered; False if none came in time."""
        return self._answered.wait(max(seconds, 0))

    def page(self, query: dict[str, str]) -> Page:
        """The page for a browser; browsers may request it several times."""
        with self._lock:
            self._page = self._page or self.respond(query)
            return self._page

    def sent(self) -> None:
        """End waiting: the page is on its way."""
        self._answered.set()


@contextmanager
def listening(host: str, port: int) -> Iterator[Listener]:
    """Listen on a host, for `localhost` on all loopback addresses, and on a port, 0 for any."""
    listener = Listener(port)
    with ExitStack() as running:
        servers: list[_Server] = []
        for address in _LOOPBACK if host == "localhost" else (host,):
            server = _server(address, listener, optional=bool(servers))
            if server is not None:
                running.callback(server.server_close)
                listener.port = server.server_port
                servers.append(server)
        for server in servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            running.callback(server.shutdown)
        yield listener


def _server(address: str, listener: Listener, *, optional: bool) -> _Server | None:
    port = listener.port
    try:
        return _Server(address, port, listener)
    except (OSError, OverflowError) as error:
        code = getattr(error, "errno", None)
        if code in _NO_SUCH_FAMILY and optional:
            return None  # a machine without IPv6
        where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        if code == errno.EADDRINUSE:
            raise PortBusy(f"another program listens on port {port}", where=where) from error
        cause = getattr(error, "strerror", None) or error
        raise CommodoreError(f"cannot listen: {cause}", where=where) from error


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: str, port: int, listener: Listener) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = listener
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Bind without a query for the name of this machine, which may take long."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Ignore a browser that closed its connection."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    # Browsers open connections in advance and leave them idle.
    timeout = 30

    def do_GET(self) -> None:
        """Answer the browser."""
        parts, listener = urlsplit(self.path), self.server.listener
        if parts.path != "/":
            self._send(NOT_HERE)
            return
        page = listener.page(dict(parse_qsl(parts.query, keep_blank_values=True)))
        try:
            self._send(page)
        finally:
            listener.sent()

    def _send(self, page: Page) -> None:
        body = page.html.encode()
        self.send_response(page.status)
        for name, value in {**_HEADERS, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Log nothing: the query holds the code."""
