"""`git http-backend` behind a small HTTP server: credentials, redirects, errors, bad networks."""

from __future__ import annotations

import base64
import os
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Behaviour:
    """What the server does; a test may change it while it runs."""

    password: str = ""
    """The one that user `robot` must give; empty lets everybody in."""
    forbidden: bool = False
    failures: list[int] = field(default_factory=list)
    """Status codes of the next answers, until none is left."""
    truncated: int = 0
    """How many of the next packs are cut off."""
    delay: float = 0.0
    received: list[str] = field(default_factory=list)
    """What came in: method and path."""


@dataclass(frozen=True)
class HttpServer:
    """A running server of all repositories in a folder."""

    port: int
    behaviour: Behaviour

    def url(self, name: str, *, user: str = "") -> str:
        """The URL of a repository; `user` may hold a password."""
        return f"http://{f'{user}@' if user else ''}127.0.0.1:{self.port}/git/{name}"


@contextmanager
def serve(root: Path) -> Iterator[HttpServer]:
    """Serve the bare repositories in a folder, for reading and writing."""
    behaviour = Behaviour()

    class Handler(_Handler):
        repositories = root
        rules = behaviour

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with serving(server):
        yield HttpServer(server.server_port, behaviour)


class _Handler(BaseHTTPRequestHandler):
    repositories: Path
    rules: Behaviour

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own
        pass

    def _answer(self, body: bytes) -> None:
        rules, parts = self.rules, urlsplit(self.path)
        rules.received.append(f"{self.command} {parts.path}")
        time.sleep(rules.delay)
        if parts.path.startswith("/old/"):
            self._plain(301, Location=self.path.replace("/old/", "/git/", 1))
        elif rules.failures:
            self._plain(rules.failures.pop(0))
        elif rules.password and not self._let_in():
            self._plain(401, WWW_Authenticate='Basic realm="git"')
        elif rules.forbidden:
            self._plain(403)
        else:
            self._backend(parts.path.removeprefix("/git"), parts.query, body)

    def _let_in(self) -> bool:
        wanted = base64.b64encode(f"robot:{self.rules.password}".encode()).decode()
        return self.headers.get("Authorization") == f"Basic {wanted}"

    def _plain(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _backend(self, path: str, query: str, body: bytes) -> None:
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.repositories),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            # Who was let in may push.
            "REMOTE_USER": "robot",
            "REMOTE_ADDR": "127.0.0.1",
        }
        command = ["git", "http-backend"]
        done = subprocess.run(
            command, input=body, env=environment, stdout=subprocess.PIPE, check=True
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if b"PACK" in content and self.rules.truncated:
            self.rules.truncated -= 1
            content = content[: content.index(b"PACK") + 20]
            self.close_connection = True
        self.wfile.write(content)
