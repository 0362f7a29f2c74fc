"""Which token is sent, and where it comes from."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import fetch_token, log_in
from commodore_py.lieutenant.clusters import cluster_ids, list_clusters, load_cluster
from tests.support.lieutenant import cluster_object, make_record, report
from tests.support.login import expired_token, valid_token, write_token_cache
from tests.support.servers.api import Api, error_reply
from tests.support.servers.oidc.contract import cached, interactive_terminal
from tests.support.servers.oidc.double import Double, jwt
from tests.support.servers.oidc.person import browser

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


def test_expired_token_is_replaced_by_cached_one(
    config: Config, api: Api, empty_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_token_cache(empty_home, {api.url: {"id_token": (token := valid_token())}})
    given = jwt({"exp": 0})

    assert list_clusters(replace(config, api_token=given)) == [cluster_object()]

    assert api.received[0].token == f"Bearer {token}"
    (message,) = caplog.messages
    assert message == (
        "the API token has expired: it was valid until 1970-01-01 00:00:00+00:00;"
        " using a cached token or a login instead"
    )


@pytest.mark.usefixtures("person")
def test_expired_token_is_replaced_by_login(config: Config, api: Api, empty_home: Path) -> None:
    list_clusters(replace(config, api_token=expired_token()))

    assert api.received[-1].token == f"Bearer {cached(empty_home)[api.url]['id_token']}"


def test_given_token_wins_over_cached_one(config: Config, api: Api, empty_home: Path) -> None:
    write_token_cache(empty_home, {api.url: {"id_token": valid_token()}})

    list_clusters(replace(config, api_token="sesame"))

    assert api.received[0].token == "Bearer sesame"


@pytest.mark.usefixtures("no_terminal")
@pytest.mark.parametrize(
    "entry",
    [
        "an old token",
        {},
        {"id_token": 5, "refresh_token": None},
        {"id_token": "two words"},
        {"id_token": expired_token()},
    ],
)
def test_non_interactive_run_sends_no_request(
    config: Config, api: Api, provider: Double, empty_home: Path, entry: object
) -> None:
    write_token_cache(empty_home, {api.url: entry})

    for call in (
        lambda: load_cluster(config, "c-1"),
        lambda: report(config, make_record()),
        lambda: fetch_token(config),
        lambda: log_in(config),
    ):
        with pytest.raises(CommodoreError, match="no token for the API") as raised:
            call()
        assert "--api-token or COMMODORE_API_TOKEN" in raised.value.hint
        assert "this is a CI run, or there is no terminal" in raised.value.__notes__[0]

    assert [*api.received, *provider.received] == []


@pytest.mark.usefixtures("no_terminal")
def test_session_is_refreshed_without_terminal(
    config: Config, api: Api, provider: Double, empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with interactive_terminal(monkeypatch):
        monkeypatch.setenv("BROWSER", browser("agrees"))
        first = log_in(config)
    entries = cached(empty_home)
    entries[api.url]["id_token"] = expired_token()
    (empty_home / ".cache/commodore/token").write_text(json.dumps(entries))
    monkeypatch.setenv("CI", "true")

    second = fetch_token(config)

    assert second not in {first, ""}
    assert cached(empty_home)[api.url]["id_token"] == second
    assert provider.requests("/token")[-1]["refresh_token"] == entries[api.url]["refresh_token"]
    assert cached(empty_home)[api.url]["refresh_token"] != entries[api.url]["refresh_token"]


def a_session_to_renew(config: Config, api: Api, empty_home: Path) -> str:
    """Log in, and have the token expire; the refresh token."""
    log_in(config)
    entries = cached(empty_home)
    entries[api.url]["id_token"] = expired_token()
    (empty_home / ".cache/commodore/token").write_text(json.dumps(entries))
    return str(entries[api.url]["refresh_token"])


@pytest.mark.usefixtures("person")
def test_refresh_token_is_kept_if_none_is_returned(
    config: Config, api: Api, provider: Double, empty_home: Path
) -> None:
    refresh_token = a_session_to_renew(config, api, empty_home)
    provider.behaviour.answer = {"refresh_token": None}

    log_in(config)

    assert cached(empty_home)[api.url]["refresh_token"] == refresh_token


@pytest.mark.usefixtures("person")
@pytest.mark.long
def test_failed_refresh_falls_back_to_login(
    config: Config,
    api: Api,
    provider: Double,
    empty_home: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    a_session_to_renew(config, api, empty_home)
    provider.behaviour.renews = False
    provider.received.clear()
    caplog.clear()

    token = log_in(config)

    assert token == cached(empty_home)[api.url]["id_token"]
    assert [fields["grant_type"] for fields in provider.requests("/token")] == [
        "refresh_token",
        "authorization_code",
    ]
    assert caplog.messages[0] == (
        "cannot refresh the session: answered 400 Bad Request:"
        " invalid_grant: grant request is invalid"
    )


@pytest.mark.usefixtures("no_terminal")
def test_failed_refresh_does_not_prompt_in_ci(
    config: Config, api: Api, provider: Double, empty_home: Path
) -> None:
    token = jwt({"exp": 0, "iss": provider.issuer})
    write_token_cache(empty_home, {api.url: {"id_token": token, "refresh_token": "x"}})

    with pytest.raises(CommodoreError, match="no token for the API"):
        fetch_token(replace(config, login_timeout=1))

    assert [fields["grant_type"] for fields in provider.requests("/token")] == ["refresh_token"]
    assert provider.requests("/device/auth") == []


@pytest.mark.usefixtures("no_terminal")
@pytest.mark.parametrize(
    "stored",
    [
        {"id_token": jwt({"exp": 0, "iss": "https://login.example.com"})},
        {"id_token": expired_token()},
        {"discovery_url": "https://login.example.com/.well-known/openid-configuration"},
    ],
)
def test_refresh_token_is_not_sent_to_another_provider(
    config: Config, api: Api, provider: Double, empty_home: Path, stored: dict[str, str]
) -> None:
    write_token_cache(empty_home, {api.url: {**stored, "refresh_token": "x"}})

    with pytest.raises(CommodoreError, match="no token for the API"):
        fetch_token(replace(config, login_timeout=1))

    assert provider.requests("/token") == []


@pytest.mark.usefixtures("no_terminal")
def test_refresh_token_is_not_sent_to_another_issuer(
    config: Config, api: Api, provider: Double, empty_home: Path
) -> None:
    provider.behaviour.document = {"issuer": "https://login.example.com"}
    token = jwt({"exp": 0, "iss": "https://login.example.com"})
    write_token_cache(empty_home, {api.url: {"id_token": token, "refresh_token": "x"}})

    with pytest.raises(CommodoreError, match="no token for the API"):
        fetch_token(replace(config, login_timeout=1))

    assert provider.requests("/token") == []


@pytest.mark.usefixtures("person")
def test_concurrent_runs_renew_session_once(
    config: Config, api: Api, provider: Double, empty_home: Path
) -> None:
    a_session_to_renew(config, api, empty_home)
    provider.received.clear()
    found: list[str] = []
    runs = [threading.Thread(target=lambda: found.append(fetch_token(config))) for _ in range(4)]

    for run in runs:
        run.start()
    for run in runs:
        run.join()

    assert len(found) == 4
    assert set(found) == {cached(empty_home)[api.url]["id_token"]}
    assert len(provider.requests("/token")) == 1


def test_completion_does_not_log_in(
    config: Config, api: Api, provider: Double, empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_token_cache(empty_home, {api.url: {"id_token": expired_token(), "refresh_token": "x"}})

    with interactive_terminal(monkeypatch):
        monkeypatch.setenv("BROWSER", browser("agrees"))
        assert cluster_ids(config) == []
        with pytest.raises(CommodoreError, match="no token for the API"):
            list_clusters(replace(config, may_log_in=False))

    assert [*api.received, *provider.received] == []


def test_completion_uses_a_cached_token(config: Config, api: Api, empty_home: Path) -> None:
    write_token_cache(empty_home, {api.url: {"id_token": valid_token()}})

    assert cluster_ids(config) == ["c-1"]


@pytest.mark.parametrize("status", [400, 401])
def test_token_refused_by_api_hints_at_new_login(config: Config, api: Api, status: int) -> None:
    api.on("GET /clusters/c-1", error_reply(status, "malformed jwt"))

    with pytest.raises(HttpError, match="malformed jwt") as raised:
        load_cluster(replace(config, api_token="sesame"), "c-1")

    assert "`commodore logout` and then `commodore login`" in raised.value.hint
