"""A proxy that redirects connections to a host to a server on this machine."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from .serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def certificate(
    folder: Path, host: str, alternative: str | None = None
) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate for a host, and a server's TLS with it.

    Alternative names are that host as well, or another one, or none if that is empty.
    """
    key, file = folder / "key.pem", folder / "certificate.pem"
    name = host if alternative is None else alternative
    extension = ("-addext", f"subjectAltName=DNS:{name}") if name else ()
    about = ("-subj", f"/CN={host}", *extension, "-days", "2")
    new = ("-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(file))
    subprocess.run(["openssl", "req", *new, *about], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file, key)
    return file, tls


@contextmanager
def leading_to(port: int) -> Iterator[str]:
    """Be a proxy for HTTPS; yields its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.close_connection = True
            with socket.create_connection(("127.0.0.1", port)) as server:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_pump, args=(server, self.connection))
                back.start()
                _pump(self.connection, server)
                back.join()

        def log_message(self, *_: object) -> None:
            pass

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as proxy:
        yield f"http://127.0.0.1:{proxy.server_port}"


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
