"""A proxy before an API server: slow, failing, forgetful, and with connections that end."""

from __future__ import annotations

import random
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.live.access.kubeconfig import Access

_PIECE = 1 << 14
_HOPS = ("connection", "transfer-encoding", "content-length", "host")
_OLD = "1"
"""A version that every server has forgotten."""


class Unreliable(ThreadingHTTPServer):
    """Passes requests on, and does harm as often as it is told to."""

    daemon_threads = True

    def __init__(self, access: Access, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.access = access
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.harm = 0.0
        """The share of requests that come to harm."""
        self.done: dict[str, int] = {}
        """How often each harm was done."""
        self._random = random.Random(seed)  # noqa: S311 - the same each time
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def cut(self) -> None:
        """End all connections, wherever they are in what they send."""
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def opened(self, one: socket.socket) -> Iterator[None]:
        """While a connection is used, it can be cut."""
        with self._lock:
            self._open.add(one)
        try:
            yield
        finally:
            with self._lock:
                self._open.remove(one)

    def choose(self, kinds: tuple[str, ...]) -> str:
        """What happens to a request; empty for nothing."""
        with self._lock:
            if self._random.random() >= self.harm:
                return ""
            found = self._random.choice(kinds)
            self.done[found] = self.done.get(found, 0) + 1
            return found

    def number(self, most: int) -> int:
        with self._lock:
            return self._random.randrange(most)


class _Passing(BaseHTTPRequestHandler):
    server: Unreliable
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._pass()

    def do_POST(self) -> None:
        self._pass()

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_watch = "watch=" in self.path
        kinds = ("slow", "busy", "failing", "half", *(("forgotten",) if is_watch else ()))
        harm = self.server.choose(kinds)
        if harm == "slow":
            time.sleep(0.5)
        elif harm in ("busy", "failing"):
            self.send_response(429 if harm == "busy" else 503)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        most = self.server.number(5000) if harm == "half" else None
        with self.server.opened(self.connection):
            self._answer(_forgotten(self.path) if harm == "forgotten" else self.path, body, most)

    def _answer(self, path: str, body: bytes, most: int | None) -> None:
        host = urlsplit(self.server.access.server)
        context = ssl.create_default_context(cadata=self.server.access.authority.decode())
        connection = HTTPSConnection(host.hostname or "", host.port, context=context, timeout=60)
        headers = {key: one for key, one in self.headers.items() if key.lower() not in _HOPS}
        try:
            connection.request(self.command, path, body or None, headers)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for key, one in answer.getheaders():
                if key.lower() not in _HOPS:
                    self.send_header(key, one)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            self.end_headers()
            sent = 0
            while piece := answer.read1(_PIECE):
                if most is not None and sent + len(piece) > most:
                    self.wfile.write(b"%x\r\n%s" % (len(piece), piece[: most - sent]))
                    return  # half of it: the connection ends here
                sent += len(piece)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except (OSError, HTTPException):
            pass  # the server, or the client, has gone
        finally:
            self.close_connection = True
            connection.close()

    def log_message(self, *_: object) -> None: ...


def _forgotten(path: str) -> str:
    """The same request, from a version that the server does not have any more."""
    place, _, query = path.partition("?")
    fields = {key: one[-1] for key, one in parse_qs(query).items()}
    return f"{place}?{urlencode({**fields, 'resourceVersion': _OLD})}"


@contextmanager
def unreliable(access: Access, seed: int) -> Iterator[Unreliable]:
    """A proxy for as long as a test takes; it does no harm at first."""
    with Unreliable(access, seed) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
