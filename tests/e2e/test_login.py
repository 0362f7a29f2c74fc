"""Logging in at a real OpenID provider, and with the installed command."""

from __future__ import annotations

import os
import pty
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers.api import serve_api
from tests.support.servers.oidc import real
from tests.support.servers.oidc.contract import DESKTOP, LoginContract, cached
from tests.support.servers.oidc.person import browser

pytestmark = pytest.mark.e2e

COMMODORE = str(Path(sys.executable).with_name("commodore"))


class TestWithARealProvider(LoginContract):
    start = staticmethod(real.serve_provider)


def in_a_terminal(*arguments: str, **variables: str) -> tuple[int, str, str]:
    """Run the installed command as somebody would: status, stdout, and what the terminal shows."""
    environment = {name: value for name, value in os.environ.items() if name not in DESKTOP}
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen, os.fdopen(theirs, "wb") as terminal:
        done = subprocess.run(
            [COMMODORE, *arguments],
            env=environment | variables,
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            check=False,
            timeout=30,
        )
        terminal.write(b"\0")
        terminal.flush()
        shown = b""
        while not shown.endswith(b"\0"):
            shown += screen.read(4096)
    return done.returncode, done.stdout.decode(), shown.decode()


def without_a_terminal(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [COMMODORE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_installed_command_logs_in_at_registered_port(empty_home: Path) -> None:
    try:
        socket.create_server(("127.0.0.1", 18000)).close()
    except OSError:
        pytest.skip("another program listens on port 18000")
    with serve_api() as api, real.serve_provider() as provider:
        oidc = {"clientId": provider.client_id, "discoveryUrl": provider.discovery_url}
        api.serves("/", {"oidc": oidc})
        there = ("--api-url", api.url)

        status, out, shown = in_a_terminal("login", *there, BROWSER=browser("agrees"))
        assert (status, out) == (0, "")
        assert "redirect_uri=http%3A%2F%2Flocalhost%3A18000&" in shown
        token = cached(empty_home)[api.url]["id_token"]

        assert without_a_terminal("fetch-token", *there) == (0, f"{token}\n", "")

        assert without_a_terminal("logout", *there)[:2] == (0, "")
        status, out, told = without_a_terminal("fetch-token", *there)
        assert (status, out) == (1, "")
        assert "interactive login is not possible" in told
