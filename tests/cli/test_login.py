"""`login`, `logout` and `fetch-token`: words, streams, exit codes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.api import Api, Reply, json_reply, serve_api
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


def test_fetch_token_prints_only_cached_token(
    commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    token = keeps(empty_home, api)

    ran = commodore("fetch-token", COMMODORE_API_URL=api.url)

    assert (ran.code, ran.out, ran.err) == (0, f"{token}\n", "")
    assert api.received == []


def test_fetch_token_prints_only_token_of_new_login(
    commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    with following_links():
        ran = commodore("--quiet", "fetch-token", "--device", "-v", "--api-url", api.url)

    assert ran.code == 0
    assert ran.out == f"{cached(empty_home)[api.url]['id_token']}\n"
    assert "Log in on any device: go to\n  http" in ran.err


def test_login_with_valid_token_sends_no_request(
    commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    keeps(empty_home, api)

    ran = commodore("login", "--api-url", api.url)

    assert (ran.code, ran.out) == (0, "")
    assert f"Logged in to {api.url}" in ran.err
    assert api.received == []


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


@pytest.mark.parametrize("command", ["login", "fetch-token"])
@pytest.mark.parametrize("variables", [{"CI": "true", "DISPLAY": ":0"}, {"BROWSER": "false %s"}])
def test_login_without_user_starts_no_browser(
    commodore: CommandLine, api: Api, command: str, variables: dict[str, str]
) -> None:
    ran = commodore(command, "--api-url", api.url, **variables)

    assert (ran.code, ran.out) == (1, "")
    assert "error: no token for the API" in ran.err
    assert "COMMODORE_API_TOKEN" in ran.err
    assert api.received == []


@pytest.mark.parametrize("command", ["fetch-token", "logout"])
def test_login_commands_without_api_url_fail(commodore: CommandLine, command: str) -> None:
    ran = commodore(command)

    assert (ran.code, ran.out) == (1, "")
    assert "error: no API URL" in ran.err


@pytest.mark.parametrize("command", ["fetch-token", "login", "logout"])
def test_login_commands_refuse_facts_folder(
    commodore: CommandLine, facts: str, command: str
) -> None:
    ran = commodore(command, "--api-url", facts)

    assert (ran.code, ran.out) == (1, "")
    assert "error: a folder of cluster facts needs no token" in ran.err


def test_missing_settings_are_reported_with_their_cause(commodore: CommandLine, api: Api) -> None:
    api.on("GET /", Reply(404))

    ran = commodore("fetch-token", "--device", "--api-url", api.url)

    assert (ran.code, ran.out) == (1, "")
    cause, _, failure = ran.err.partition("error: ")
    assert "warning: cannot get the login settings from the API: answered 404 Not Found" in cause
    assert f"{api.url}/" in cause
    assert failure.startswith("the login needs a client id (--oidc-client, COMMODORE_OIDC_CLIENT)")


def test_invalid_discovery_document_is_an_error(commodore: CommandLine, api: Api) -> None:
    url = f"{api.url}/discovery"
    api.on("GET /discovery", json_reply({"issuer": "x"}))

    ran = commodore(
        "fetch-token",
        "--device",
        "--api-url",
        api.url,
        COMMODORE_OIDC_CLIENT="x",
        COMMODORE_OIDC_DISCOVERY_URL=url,
    )

    assert (ran.code, ran.out) == (1, "")
    assert "has no authorization_endpoint and token_endpoint" in ran.err
    assert url in ran.err


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (["--timeout", "0"], {}),
        (["--timeout", "soon"], {}),
    ],
)
def test_zero_login_timeout_is_a_usage_error(
    commodore: CommandLine, words: list[str], variables: dict[str, str]
) -> None:
    assert commodore("login", *words, **variables).code == 2


def test_device_login_times_out(commodore: CommandLine, api: Api) -> None:
    ran = commodore("login", "--device", "--timeout", "1", "--api-url", api.url)

    assert (ran.code, ran.out) == (1, "")
    assert "error: the login timed out after 1 seconds" in ran.err


def test_logging_out_forgets_one_login(commodore: CommandLine, api: Api, empty_home: Path) -> None:
    keeps(empty_home, api)

    first, second = (commodore("logout", COMMODORE_API_URL=f"{api.url}/") for _ in range(2))

    assert [(ran.code, ran.out) for ran in (first, second)] == [(0, ""), (0, "")]
    assert f"Logged out of {api.url}" in first.err
    assert f"Not logged in to {api.url}" in second.err
    assert cached(empty_home) == {"https://other": {}}


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
