"""Providers that are away, broken, or not what they seem."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import log_in, log_out
from commodore_py.lieutenant.clusters import load_cluster
from tests.support.login import valid_token
from tests.support.servers.api import (
    Api,
    Reply,
    error_reply,
    json_reply,
    redirect_reply,
    serve_api,
)
from tests.support.servers.oidc.double import CLIENT, Double

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


@pytest.mark.usefixtures("person")
def test_unreachable_provider_is_reported_with_url(config: Config) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
        away = replace(config, oidc_client=CLIENT, oidc_discovery_url=url)

        with pytest.raises(HttpError, match="no connection: Connection refused") as raised:
            log_in(away)

    assert raised.value.where == url
    assert "--oidc-discovery-url" in raised.value.hint
    assert raised.value.__notes__ == [
        "while reading the discovery document of the identity provider",
        "while logging in",
    ]


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (error_reply(500, "broken"), "answered 500 Internal Server Error: broken"),
        (Reply(200, b"hello"), "answered 200 with no JSON"),
        (json_reply([]), "expected a discovery document, the identity provider sent a list"),
        (
            json_reply({"issuer": "x"}),
            "the provider's discovery document has no authorization_endpoint and token_endpoint",
        ),
        (
            json_reply({"authorization_endpoint": "https://x", "token_endpoint": 5}),
            "the provider's discovery document has no issuer and token_endpoint",
        ),
    ],
)
def test_invalid_discovery_document_is_reported_with_url(
    config: Config, api: Api, reply: Reply, problem: str
) -> None:
    api.on("GET /discovery", reply)
    url = f"{api.url}/discovery"

    with pytest.raises(CommodoreError) as raised:
        load_cluster(replace(config, oidc_client=CLIENT, oidc_discovery_url=url), "c-1")

    assert str(raised.value) == problem
    assert raised.value.where == url
    assert "--oidc-discovery-url" in raised.value.hint


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    "key", ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint"]
)
def test_plain_http_is_for_this_machine_only(config: Config, provider: Double, key: str) -> None:
    provider.behaviour.document = {key: "http://idp.example.com/x"}

    with pytest.raises(CommodoreError, match=f"the provider's {key} does not use https") as raised:
        log_in(config)

    assert raised.value.where == "http://idp.example.com/x"
    assert "localhost" in raised.value.hint


@pytest.mark.usefixtures("person")
def test_discovery_url_without_https_is_refused(config: Config) -> None:
    url = "http://idp.example.com/.well-known/openid-configuration"

    with pytest.raises(CommodoreError, match="identity provider does not use https") as raised:
        log_in(replace(config, oidc_client=CLIENT, oidc_discovery_url=url))

    assert raised.value.where == url


@pytest.mark.usefixtures("person")
def test_discovery_document_of_other_issuer_warns(
    config: Config, provider: Double, caplog: pytest.LogCaptureFixture
) -> None:
    issuer = "https://idp.example.com"
    provider.behaviour.document = {"issuer": issuer}
    provider.behaviour.claims = {"iss": issuer}
    provider.behaviour.arrival = {"iss": issuer}

    assert log_in(config)
    assert "the provider's discovery document names another issuer" in caplog.messages[0]
    log_out(config)
    with pytest.raises(CommodoreError, match="names another issuer"):
        log_in(replace(config, strict=True))


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ({"answer": {"id_token": None}}, "it has no id_token"),
        ({"answer": {"id_token": "opaque"}}, "its id_token is not a JSON web token"),
        ({"answer": {"id_token": f"{valid_token()}\n"}}, "its id_token is not a JSON web token"),
        (
            {"claims": {"iss": "https://x"}},
            "… Invalid claim: 'iss', https://x",
        ),
        (
            {"claims": {"aud": "web"}},
            "… Invalid claim: 'aud', web",
        ),
        (
            {"claims": {"aud": ["a", CLIENT], "azp": "a"}},
            "… Invalid claim: 'azp', a",
        ),
        (
            {"claims": {"nonce": "x"}},
            "… Invalid claim: 'nonce', x",
        ),
        ({"claims": {"nonce": None}}, "… Missing claim: 'nonce'"),
        ({"claims": {"exp": 5}}, "its id_token has expired already"),
        ({"claims": {"exp": None}}, "… Missing claim: 'exp'"),
    ],
)
def test_invalid_token_response_is_refused(
    config: Config, provider: Double, empty_home: Path, behaviour: dict[str, Any], problem: str
) -> None:
    for name, value in behaviour.items():
        setattr(provider.behaviour, name, value)

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    problem = problem.replace("…", "its id_token is not for this login:")
    assert str(raised.value).startswith(f"invalid response from the identity provider: {problem}")
    assert raised.value.where == f"{provider.issuer}/token"
    assert not (empty_home / ".cache/commodore/token").exists()


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ((200, b"id_token=sesame"), "answered 200 with no JSON$"),
        ((200, b"[]"), "answered with no object"),
        ((200, b'{"id_token": "a", "expires_in": "soon"}'), "sent unusable tokens"),
        ((400, b'{"error": "invalid_client"}'), "answered 400 Bad Request: invalid_client"),
        ((502, b"<html>"), "answered 502 Bad Gateway"),
    ],
)
def test_failing_token_endpoint_fails_login(
    config: Config, provider: Double, raw: tuple[int, bytes], problem: str
) -> None:
    provider.behaviour.raw = {"/token": raw}

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    assert re.search(problem, str(raised.value))
    assert raised.value.__notes__[0] == "while requesting a token from the identity provider"
    assert "--oidc-client" in raised.value.hint


@pytest.mark.usefixtures("person")
def test_token_request_does_not_follow_redirect(config: Config, api: Api, provider: Double) -> None:
    with serve_api() as other:
        provider.behaviour.document = {"token_endpoint": f"{api.url}/token"}
        api.on("POST /token", redirect_reply(f"{other.url}/token", 307))

        with pytest.raises(CommodoreError, match="answered 307"):
            log_in(config)

        assert other.received == []


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("arrival", "problem"),
    [
        ({"code": ""}, "has no code"),
        ({"state": ""}, "does not belong to this login: its state differs"),
        ({"state": "x", "code": "", "error": "x"}, "does not belong to this login"),
        ({"state": "", "code": "", "error": "x"}, "the identity provider denied the login: x"),
        ({"error": "a\x1b[2Jb"}, "the identity provider denied the login: a [2Jb"),
        (
            {"iss": "https://evil.example.com"},
            "comes from another provider: https://evil.example.com",
        ),
        ({"iss": ""}, "comes from another provider: unnamed"),
    ],
)
def test_invalid_browser_redirect_fails_login(
    config: Config, provider: Double, arrival: dict[str, str], problem: str
) -> None:
    provider.behaviour.arrival = arrival

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    assert problem in str(raised.value)
    assert provider.requests("/token") == []
