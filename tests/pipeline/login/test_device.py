"""Logging in on another device."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import log_in
from tests.support.login import port_18000_taken
from tests.support.servers.oidc.contract import following_links, interactive_terminal

if TYPE_CHECKING:
    from commodore_py.config import Config
    from tests.support.servers.oidc.double import Double


def test_missing_browser_shows_address(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.behaviour.document = {"device_authorization_endpoint": None}

    with interactive_terminal(monkeypatch), following_links() as reader:
        assert log_in(config)

    assert reader.shown[0].startswith("Log in with a browser that reaches port ")


def test_refused_device_login_falls_back_to_browser(
    config: Config,
    provider: Double,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider.behaviour.raw = {"/device/auth": (401, b'{"error": "unauthorized_client"}')}

    with interactive_terminal(monkeypatch), port_18000_taken():
        monkeypatch.setenv("SSH_CONNECTION", "1")
        monkeypatch.setenv("DISPLAY", ":0")
        with pytest.raises(CommodoreError, match="another program listens on port 18000"):
            log_in(replace(config, oidc_listen=""))

    assert caplog.messages == [
        "cannot log in on another device: answered 401 Unauthorized: unauthorized_client"
    ]


def test_failed_device_login_is_reported(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    with interactive_terminal(monkeypatch):
        provider.behaviour.raw = {"/device/auth": (401, b'{"error": "unauthorized_client"}')}
        with pytest.raises(CommodoreError, match="answered 401 Unauthorized: unauthorized_client"):
            log_in(config, device=True)
        provider.behaviour.raw = {"/device/auth": (200, b'{"device_code": "x"}')}
        with pytest.raises(CommodoreError, match="is incomplete"):
            log_in(config, device=True)
        provider.behaviour.document = {"device_authorization_endpoint": None}
        with pytest.raises(CommodoreError, match="does not support logins on other devices"):
            log_in(config, device=True)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (b'{"error": "expired_token"}', "the login timed out after"),
        (b'{"error": "slow_down"}', "the login timed out after"),
        (b'{"error": "invalid_grant"}', "answered 400 Bad Request: invalid_grant"),
    ],
)
def test_expired_device_code_is_reported(
    config: Config,
    provider: Double,
    monkeypatch: pytest.MonkeyPatch,
    error: bytes,
    problem: str,
) -> None:
    provider.behaviour.raw = {"/token": (400, error)}

    with interactive_terminal(monkeypatch), pytest.raises(CommodoreError, match=problem):
        log_in(replace(config, login_timeout=2), device=True)
