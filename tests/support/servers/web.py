"""A web server on this machine: stamps, redirects, credentials, failures, slowness."""

from __future__ import annotations

import base64
import hashlib
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import Message


@dataclass
class Page:
    """What is served under a path."""

    content: bytes = b""
    content_type: str | None = "application/octet-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    login: tuple[str, str] | None = None
    pause: float = 0.0
    failures: int = 0
    """How many requests are answered with 503 before it works."""
    stamped: bool = True


@dataclass(frozen=True)
class Request:
    """A request that arrived."""

    path: str
    status: int
    headers: dict[str, str]


@dataclass
class Web:
    """The server's pages, and the requests for them."""

    url: str
    pages: dict[str, Page | Callable[[Request], Page]] = field(default_factory=dict)
    received: list[Request] = field(default_factory=list)

    def put(self, path: str, content: bytes | str = b"", **page: object) -> str:
        """Serve something, and return its URL."""
        data = content.encode() if isinstance(content, str) else content
        self.pages[path] = Page(data, **page)  # type: ignore[arg-type]  # Page checks by name
        return f"{self.url}{path}"

    def answers(self) -> list[tuple[str, int]]:
        """The paths requested so far, each with the status of its response."""
        found = [(one.path, one.status) for one in self.received]
        self.received.clear()
        return found

    @property
    def host(self) -> str:
        """Host and port."""
        return self.url.removeprefix("http://")


@contextmanager
def serve() -> Iterator[Web]:
    """Serve pages as long as this lasts."""
    web = Web("")

    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(web))
    web.url = f"http://127.0.0.1:{server.server_port}"
    with serving(server):
        yield web


def _handler_of(web: Web) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body would wait for the ACK of its headers

        def do_GET(self) -> None:
            page = web.pages.get(self.path, Page(b"nothing here", status=404))
            if callable(page):
                page = page(Request(self.path, 0, dict(self.headers)))
            time.sleep(page.pause)
            status, content, more = _decided(page, self.headers)
            web.received.append(Request(self.path, status, dict(self.headers)))
            self.send_response(status)
            for name, value in {**page.headers, **more}.items():
                self.send_header(name, value)
            if page.content_type is not None:
                self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _decided(page: Page, headers: Message) -> tuple[int, bytes, dict[str, str]]:
    if page.failures:
        page.failures -= 1
        return 503, b"come back", {}
    if page.login is not None:
        wanted = base64.b64encode(":".join(page.login).encode()).decode()
        if headers.get("Authorization") != f"Basic {wanted}":
            return 401, b"who are you", {"WWW-Authenticate": "Basic"}
    if page.status != 200 or not page.stamped:
        return page.status, page.content, {}
    stamp = f'"{hashlib.sha256(page.content).hexdigest()[:12]}"'
    if headers.get("If-None-Match") == stamp:
        return 304, b"", {"ETag": stamp}
    return 200, page.content, {"ETag": stamp}
