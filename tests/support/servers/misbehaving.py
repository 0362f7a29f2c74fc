"""TCP servers that are silent, slow, lie or hang up: each a function of one connection."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Behaviour = Callable[["Connection"], None]


_LONGEST = 30
"""Seconds that a client may take to read something."""


@dataclass
class Connection:
    """One client, and what it has sent so far."""

    socket: socket.socket
    ended: threading.Event
    requests: list[bytes]

    def request(self) -> bytes:
        """Wait for a whole request without a body."""
        content = b""
        while b"\r\n\r\n" not in content:
            piece = self.socket.recv(4096)
            if not piece:
                break
            content += piece
        if content:
            self.requests.append(content)
        return content

    def wait(self, seconds: float) -> None:
        """Do nothing for a while, or until the test is over."""
        if self.ended.wait(seconds):
            raise ConnectionAbortedError

    def drip(self, content: bytes, every: float) -> None:
        """Send a byte at a time, and when there are none left the last one again, endlessly."""
        while True:
            for index in range(len(content)):
                self.socket.sendall(content[index : index + 1])
                self.wait(every)
            content = content[-1:]


@dataclass
class Server:
    """A running server."""

    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The URL over HTTP."""
        return f"http://{self.host}"


def silent(connection: Connection) -> None:
    """Accept, and say nothing."""
    connection.wait(600)


def silent_after_request(connection: Connection) -> None:
    """Take the request, and say nothing."""
    connection.request()
    connection.wait(600)


def drips_headers(connection: Connection) -> None:
    """Send the headers a byte at a time, and further ones without end."""
    connection.request()
    connection.drip(b"HTTP/1.1 200 OK\r\nX-Long: ", 0.1)


def drips_content(connection: Connection) -> None:
    """Send a promise of much, and the content a byte at a time."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    connection.drip(b"[ ", 0.1)


def drips_chunks(connection: Connection) -> None:
    """The same in chunks of one byte."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.socket.sendall(b"1\r\n \r\n")
        connection.wait(0.1)


def redirects_and_drips(connection: Connection) -> None:
    """Redirect to itself once in a while, slowly."""
    connection.request()
    connection.wait(0.4)
    connection.socket.sendall(b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")


def hangs_up(connection: Connection) -> None:
    """Take the request, and reset the connection."""
    connection.request()
    reset(connection)


def hangs_up_inside(connection: Connection) -> None:
    """Reset the connection in the middle of the content."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[")
    connection.wait(0.05)
    reset(connection)


def promises_more(connection: Connection) -> None:
    """Close in an orderly way, before all that was promised."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[1]")


def claims_less_than_nothing(connection: Connection) -> None:
    """Send content with a length below zero, which libraries take for none."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[1]")


def talks_nonsense(connection: Connection) -> None:
    """Answer, but not in HTTP."""
    connection.request()
    connection.socket.sendall(b"\x00\xff\x16\x03 what?\n" * 100)


def sends_no_end_of_headers(connection: Connection) -> None:
    """Send headers as fast as possible, without end."""
    connection.request()
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\n")
    while not connection.ended.is_set():
        connection.socket.sendall(b"X-A: b\r\n" * 1000)


def reset(connection: Connection) -> None:
    """Close without a word."""
    now = struct.pack("ii", 1, 0)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
    connection.socket.close()


ENDLESS = (silent, silent_after_request, drips_headers, drips_content, drips_chunks)
BROKEN = (
    *(hangs_up, hangs_up_inside, promises_more, talks_nonsense),
    *(sends_no_end_of_headers, reset),
)


@contextmanager
def serve(*behaviours: Behaviour) -> Iterator[Server]:
    """Serve connections, each as the next of the behaviours says; the last one stays."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener.getsockname()[1])
        threads: list[threading.Thread] = []

        def handle(client: socket.socket, behave: Behaviour) -> None:
            client.settimeout(_LONGEST)
            with client, suppress(OSError):
                behave(Connection(client, ended, server.requests))

        def accept() -> None:
            left = list(behaviours)
            with suppress(OSError):
                while not ended.is_set():
                    client, _ = listener.accept()
                    if ended.is_set():
                        client.close()
                        return
                    server.connections += 1
                    behave = left.pop(0) if len(left) > 1 else left[0]
                    threads.append(threading.Thread(target=handle, args=(client, behave)))
                    threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield server
        finally:
            ended.set()
            # `close` does not wake up a thread that accepts.
            with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), 1):
                pass
            accepting.join()
            listener.close()
            for thread in threads:
                thread.join(5)
