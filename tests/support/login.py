"""What a login finds: tokens of earlier ones, and a port that is taken."""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from tests.support.servers.oidc.double import jwt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_token_cache(empty_home: Path, entries: object) -> Path:
    """Have the token cache hold this."""
    file = empty_home / ".cache" / "commodore" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(entries))
    return file


def valid_token() -> str:
    return jwt({"exp": time.time() + 60, "iss": "kept"})


def expired_token() -> str:
    return jwt({"exp": time.time() - 60})


@contextmanager
def port_18000_taken() -> Iterator[None]:
    """Port 18000 in use: by us, or by a process that has it already."""
    with ExitStack() as held:
        with suppress(OSError):
            held.enter_context(socket.create_server(("127.0.0.1", 18000)))
        yield
