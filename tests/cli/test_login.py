"""`login`, `logout` and `fetch-token`: words, streams, exit codes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.api import Api, serve_api
from tests.support.servers.oidc import double
from tests.support.servers.oidc.contract import cached, following_links
from tests.support.servers.oidc.double import CLIENT, Double, jwt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def provider() -> Iterator[Double]:
    with double.serve_provider() as provider:
        yield provider


@pytest.fixture
def api(provider: Double) -> Iterator[Api]:
    """An API that has a place to log in."""
    with serve_api() as api:
        api.serves("/", {"oidc": {"clientId": CLIENT, "discoveryUrl": provider.discovery_url}})
        yield api


def keeps(empty_home: Path, api: Api, *, good_for: float = 60) -> str:
    """Store a token and return it."""
    token = jwt({"exp": time.time() + good_for})
    file = empty_home / ".cache" / "commodore" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({api.url: {"id_token": token}, "https://other": {}}))
    return token


def test_fetch_token_prints_only_token_of_new_login(
    commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    with following_links():
        ran = commodore("--quiet", "fetch-token", "--device", "-v", "--api-url", api.url)

    assert ran.code == 0
    assert ran.out == f"{cached(empty_home)[api.url]['id_token']}\n"
    assert "Log in on any device: go to\n  http" in ran.err


def test_login_without_api_prints_token(
    commodore: CommandLine, provider: Double, empty_home: Path
) -> None:
    with following_links():
        ran = commodore(
            "login",
            "--device",
            COMMODORE_OIDC_CLIENT=CLIENT,
            COMMODORE_OIDC_DISCOVERY_URL=provider.discovery_url,
        )

    assert ran.code == 0
    assert ran.out.count(".") == 2
    assert not (empty_home / ".cache/commodore/token").exists()


@pytest.mark.parametrize("command", ["login", "fetch-token"])
def test_denied_login_fails(commodore: CommandLine, api: Api, command: str) -> None:
    with following_links(agrees=False):
        ran = commodore(command, "--device", "--api-url", api.url)

    assert (ran.code, ran.out) == (1, "")
    assert (
        "error: the identity provider denied the login: access_denied: somebody said no" in ran.err
    )


def test_device_login_times_out(commodore: CommandLine, api: Api) -> None:
    ran = commodore("login", "--device", "--timeout", "1", "--api-url", api.url)

    assert (ran.code, ran.out) == (1, "")
    assert "error: the login timed out after 1 seconds" in ran.err


def test_expired_token_is_replaced_by_cached_one(
    commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    token = keeps(empty_home, api)
    api.serves("/clusters/", [])

    ran = commodore(
        "catalog", "list", "--out", "id", "--api-url", api.url, "--api-token", jwt({"exp": 1})
    )

    assert (ran.code, ran.out) == (0, "")
    assert "warning: the API token has expired: it was valid until 1970-01-01" in ran.err
    assert api.received[0].token == f"Bearer {token}"
