"""Where to log in, and who says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import fetch_token, log_in, log_out
from tests.support.servers.api import Api, Reply, error_reply
from tests.support.servers.oidc.double import CLIENT, Double

if TYPE_CHECKING:
    from commodore_py.config import Config


@pytest.mark.usefixtures("person")
def test_settings_given_are_taken_without_asking_the_api(
    config: Config, api: Api, provider: Double
) -> None:
    given = replace(config, oidc_client=CLIENT, oidc_discovery_url=provider.discovery_url)

    assert log_in(given)
    assert api.received == []


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({}, "a client id (--oidc-client, COMMODORE_OIDC_CLIENT) and a discovery URL"),
        ({"oidc_client": "x"}, "a discovery URL (--oidc-discovery-url, COMMODORE_OIDC_DISCOV"),
        ({"oidc_discovery_url": "x"}, "a client id (--oidc-client, COMMODORE_OIDC_CLIENT)"),
    ],
)
@pytest.mark.parametrize("root", [{}, [], {"oidc": "x"}, {"oidc": {"clientId": 1}}, None])
def test_missing_settings_are_reported(
    config: Config, api: Api, settings: dict[str, Any], missing: str, root: object
) -> None:
    api.serves("/", root)

    with pytest.raises(CommodoreError) as raised:
        log_in(replace(config, **settings))

    assert str(raised.value).startswith(f"the login needs {missing}")
    assert raised.value.where == api.url


@pytest.mark.usefixtures("person")
def test_login_without_api_needs_both_settings(config: Config, provider: Double) -> None:
    alone = replace(config, api_url="")

    with pytest.raises(CommodoreError, match="cannot log in: no API URL"):
        log_in(alone)
    with pytest.raises(CommodoreError, match="no API URL"):
        fetch_token(alone)
    with pytest.raises(CommodoreError, match="no API URL"):
        log_out(alone)

    both = replace(alone, oidc_client=CLIENT, oidc_discovery_url=provider.discovery_url)
    assert log_in(both).count(".") == 2


@pytest.mark.parametrize("call", [log_in, fetch_token, log_out])
def test_facts_folder_requires_no_login(config: Config, call: Any) -> None:  # noqa: ANN401 - three of one shape
    with pytest.raises(CommodoreError, match="a folder of cluster facts needs no token"):
        call(replace(config, api_url="./facts"))


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (error_reply(403, "go away"), "answered 403 Forbidden: go away"),
        (Reply(200, b"<html>"), "answered 200 with no JSON"),
    ],
)
def test_api_without_login_settings_is_reported(
    config: Config, api: Api, reply: Reply, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    api.on("GET /", reply)

    with pytest.raises(CommodoreError, match="the login needs a client id"):
        log_in(config)

    assert caplog.messages == [f"cannot get the login settings from the API: {cause}"]
    assert caplog.records[0].__dict__["where"] == f"{api.url}/"
