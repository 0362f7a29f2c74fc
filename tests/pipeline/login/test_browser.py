"""The way through the browser, there and back."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant.auth.session import log_in
from tests.support.login import port_18000_taken
from tests.support.servers.oidc.contract import ASKING, interactive_terminal
from tests.support.servers.oidc.double import CLIENT, Double
from tests.support.servers.oidc.person import Person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config


@pytest.mark.usefixtures("person")
def test_provider_receives_authorization_request(config: Config, provider: Double) -> None:
    log_in(config)

    (asked,) = provider.requests("/auth")
    secrets = {asked.pop(name) for name in ("state", "nonce", "code_challenge")}
    assert len(secrets) == 3
    assert min(map(len, secrets)) >= 43
    (exchanged,) = provider.requests("/token")
    assert asked == {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": exchanged["redirect_uri"],
        "scope": "openid email profile",
        "code_challenge_method": "S256",
    }
    assert secrets.isdisjoint({exchanged["code_verifier"]})
    assert exchanged["redirect_uri"].startswith("http://localhost:")


class Visitor(logging.Handler):
    """Goes to the listener itself, before the login goes on as it should."""

    def __init__(self, *paths: str) -> None:
        super().__init__()
        self.paths = paths
        self.seen: list[tuple[int, str]] = []
        self.last = ""
        self.thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.thread = threading.Thread(target=self.visit, args=(record.getMessage(),))
        self.thread.start()

    def join(self) -> None:
        if self.thread:
            self.thread.join()

    def visit(self, text: str) -> None:
        url = text.rsplit(maxsplit=1)[-1]
        (home,) = parse_qs(urlsplit(url).query)["redirect_uri"]
        for path in self.paths:
            page = requests.get(home + path, timeout=5)
            self.seen.append((page.status_code, page.text))
        self.last = Person().visits(url)


@contextmanager
def shown_to(visitor: Visitor) -> Iterator[None]:
    """Have a visitor read what is shown, and wait for the end of the visit."""
    asking = logging.getLogger(ASKING)
    asking.addHandler(visitor)
    try:
        yield
    finally:
        asking.removeHandler(visitor)
        visitor.join()


def test_other_paths_do_not_end_login(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Visitor("/healthz", "/favicon.ico?code=x&state=y", "/login?error=x")

    with interactive_terminal(monkeypatch), shown_to(visitor):
        assert log_in(config)

    assert visitor.seen == [(404, "not here")] * 3
    assert "You are logged in" in visitor.last


def test_page_shows_escaped_error(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor()
    provider.behaviour.arrival = {"error": "<script>"}

    with (
        interactive_terminal(monkeypatch),
        shown_to(visitor),
        pytest.raises(CommodoreError, match="denied the login: <script>"),
    ):
        log_in(config)

    assert "You are not logged in" in visitor.last
    assert "&lt;script&gt;" in visitor.last
    assert "<script>" not in visitor.last


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize("listen", ["localhost:{}", "127.0.0.1:{}", "0.0.0.0:{}"])
def test_busy_port_is_reported_with_alternatives(config: Config, listen: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(CommodoreError, match=f"another program listens on port {port}") as got:
            log_in(replace(config, oidc_listen=listen.format(port)))

    assert "--device" in got.value.hint
    assert "oidc-listen" in got.value.hint


def test_default_port_is_registered_port(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    with interactive_terminal(monkeypatch), port_18000_taken():
        monkeypatch.setenv("BROWSER", "true %s")
        with pytest.raises(CommodoreError, match="another program listens on port 18000"):
            log_in(replace(config, oidc_listen=""))


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize("listen", ["localhost", ":18000", "localhost:x", "localhost:70000"])
def test_invalid_listen_address_is_a_usage_error(config: Config, listen: str) -> None:
    with pytest.raises(UsageError, match=f"invalid listen address: {listen}"):
        log_in(replace(config, oidc_listen=listen))


@pytest.mark.usefixtures("person")
def test_foreign_listen_address_is_an_error(config: Config) -> None:
    with pytest.raises(CommodoreError, match="cannot listen: ") as raised:
        log_in(replace(config, oidc_listen="192.0.2.1:0"))

    assert raised.value.where == "192.0.2.1:0"
