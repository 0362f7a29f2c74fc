"""Sockets that listen, and a web server for the one request at the end of a login in a browser."""

from __future__ import annotations

import errno
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BACKLOG = 1024
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    # The address of the page holds the code: it goes no further than this.
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Connection": "close",
}


class PortBusy(CommodoreError):
    """Another program listens on the port."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address of this machine, and on a port, 0 for any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without the protocol, asyncio does not switch off the delay of small packets.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            hint = "choose another port"
            raise PortBusy(
                f"another program listens on port {port}", where=where, hint=hint
            ) from error
        cause = getattr(error, "strerror", None) or error
        raise CommodoreError(f"cannot listen: {cause}", where=where) from error
    return listener


@dataclass(frozen=True, slots=True)
class Page:
    """The page that the browser shows."""

    status: int
    html: str


_NOT_HERE = Page(HTTPStatus.NOT_FOUND, "not here")


class Listener(ThreadingTCPServer):
    """A server whose first request for its root is answered by `respond`."""

    daemon_threads = True

    def __init__(self, host: str, port: int) -> None:
        super().__init__((host, port), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listen(host, port)
        self.port: int = self.socket.getsockname()[1]
        self.respond: Callable[[dict[str, str]], Page] = lambda _: _NOT_HERE
        self.answered = threading.Event()
        self._lock = threading.Lock()
        self._page: Page | None = None

    def page(self, query: dict[str, str]) -> Page:
        """The page for a browser; browsers may request it several times."""
        with self._lock:
            self._page = self._page or self.respond(query)
            return self._page

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as inherited
        """Ignore a browser that closed its connection."""


@contextmanager
def listening(host: str, port: int) -> Iterator[Listener]:
    """Answer a browser on an address of this machine, and on a port, 0 for any."""
    # Browsers try the address of IPv4, too.
    with Listener("127.0.0.1" if host == "localhost" else host, port) as listener:
        threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield listener
        finally:
            listener.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: Listener
    # Browsers open connections in advance and leave them idle.
    timeout = 30

    def do_GET(self) -> None:
        """Answer the browser."""
        parts = urlsplit(self.path)
        if parts.path != "/":
            self._send(_NOT_HERE)
            return
        page = self.server.page(dict(parse_qsl(parts.query, keep_blank_values=True)))
        try:
            self._send(page)
        finally:
            self.server.answered.set()

    def _send(self, page: Page) -> None:
        body = page.html.encode()
        self.send_response(page.status)
        for name, value in {**_HEADERS, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """Log nothing: the query holds the code."""
