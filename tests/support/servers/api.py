"""A real server on a loopback port: sends configured responses, records requests."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; `cut` ends it after the headers, `silent` gives none while the test lasts."""

    status: int = HTTPStatus.OK
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str | None:
        return self.headers.get("Authorization")


class Api(ThreadingHTTPServer):
    """Answers by method and path, in turn; the last answer stays."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Request] = []
        self.over = threading.Event()
        self._replies: dict[str, list[Reply]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def on(self, request: str, *replies: Reply) -> None:
        """Answer `GET /path?query` like this."""
        self._replies[request] = list(replies)

    def serves(self, path: str, value: object) -> None:
        self.on(f"GET {path}", json_reply(value))

    def reply_to(self, request: str) -> Reply:
        replies = self._replies.get(request, [error_reply(404, f"no {request}")])
        return replies.pop(0) if len(replies) > 1 else replies[0]


def json_reply(value: object, status: int = HTTPStatus.OK) -> Reply:
    return Reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})


def error_reply(status: int, reason: str) -> Reply:
    return json_reply({"reason": reason}, status)


def redirect_reply(location: str, status: int = HTTPStatus.TEMPORARY_REDIRECT) -> Reply:
    return Reply(status, headers={"Location": location})


@contextmanager
def serve_api() -> Iterator[Api]:
    """A server for the time of one test."""
    with serving(Api()) as api:
        try:
            yield api
        finally:
            api.over.set()


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.received.append(
            Request(self.command, self.path, dict(self.headers.items()), body)
        )
        reply = self.server.reply_to(f"{self.command} {self.path}")
        if reply.silent and not reply.body:
            self.server.over.wait(30)
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if reply.silent:
            self.server.over.wait(30)
        elif not reply.cut:
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - as inherited
        """Log nothing: tests inspect `received`."""
