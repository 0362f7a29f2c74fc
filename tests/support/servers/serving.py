"""Run a server beside a test."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socketserver import BaseServer

Server = TypeVar("Server", bound="BaseServer")


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Answer requests in a thread as long as this lasts; then close the server."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
