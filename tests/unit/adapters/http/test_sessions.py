"""Answers of a server with kept connections that end too early."""

from __future__ import annotations

import pytest

from commodore_py.adapters.http.errors import ServerAway
from commodore_py.adapters.http.server import Request, Server, Tls
from tests.support.servers import misbehaving
from tests.support.tables import each

HEAD = b'HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"items": ['
REQUEST = Request("GET", "/", {}, ())


def _half(status: bytes) -> misbehaving.Behaviour:
    def behave(connection: misbehaving.Connection) -> None:
        connection.request()
        connection.socket.sendall(HEAD % status)

    return behave


@each("status", [b"200 OK", b"500 Internal Server Error"])
def test_half_an_answer_is_an_error_that_is_understood(status: bytes) -> None:
    with misbehaving.serve(_half(status)) as bad:
        server = Server(bad.url, tls=Tls(), timeout=5)

        with pytest.raises(ServerAway, match="the answer ended too early"):
            server.body(REQUEST, 1 << 20)
