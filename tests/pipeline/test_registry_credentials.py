"""Credentials of a registry are sent to the registry and its own domain only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.adapters.http.credentials import Login
from commodore_py.adapters.http.exchange import Request as Download
from commodore_py.adapters.http.exchange import read
from commodore_py.adapters.http.registry import Reference, Registry
from tests.support.servers.web import Page, Request, serve
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.servers.web import Web

LOGINS = [Login("me", "c4nary-password"), Login(identity_token="c4nary-token")]


def registry_at(web: Web, login: Login | None) -> Registry:
    reference = Reference.parse(f"{web.host}/charts/own:1.0.0")
    return Registry(
        reference, timeout=5, login=lambda host: login if host == reference.host else None
    )


def challenge(realm: str) -> Callable[[Request], Page]:
    header = f'Bearer realm="{realm}",service="x",scope="y"'
    return lambda _: Page(
        b"{}", "application/json", status=401, headers={"WWW-Authenticate": header}
    )


def texts_of(web: Web) -> str:
    return repr([(one.path, one.headers) for one in web.received])


@each("login", LOGINS)
@each("query", ["", "?a=1"])
def test_credentials_are_not_sent_to_another_server(login: Login, query: str) -> None:
    with serve() as web, serve() as other:
        web.pages["/v2/charts/own/manifests/1.0.0"] = challenge(f"{other.url}/token{query}")
        other.pages["/token"] = Page(b'{"token": "anonymous"}', "application/json")

        with pytest.raises(HttpError):
            registry_at(web, login).manifest()

        assert other.received
        assert "c4nary" not in texts_of(other)
        assert "Authorization" not in texts_of(other)


@each(
    "realm",
    [
        "https://own.example.com.evil.example.org/token",
        "https://ownexample.com/token",
        "https://example.net/token",
        "https://evil.co.uk/token",
    ],
)
@each("host", ["registry.example.com", "r.own.co.uk", "127.0.0.1:5000", "r"])
def test_credentials_are_not_sent_to_other_domains(realm: str, host: str) -> None:
    registry = Registry(
        Reference.parse(f"{host}/x:1"),
        timeout=5,
        login=lambda _: LOGINS[0],  # as variables do
    )

    assert registry.login_at(realm, LOGINS[0]) is None


@each(
    ("host", "realm"),
    [
        ("docker.io", "https://auth.docker.io/token"),
        ("registry.gitlab.com", "https://gitlab.com/jwt/auth"),
        ("ghcr.io", "https://ghcr.io/token"),
        ("registry.own.co.uk", "https://auth.own.co.uk/token"),
        ("localhost:5000", "http://localhost:5000/token"),
        ("localhost:5000", "https://localhost:5000/token"),
        ("10.0.0.1:5000", "https://10.0.0.1:8443/token"),
    ],
)
def test_credentials_are_sent_to_same_domain(host: str, realm: str) -> None:
    registry = Registry(Reference.parse(f"{host}/x:1"), timeout=5)

    assert registry.login_at(realm, LOGINS[0]) == LOGINS[0]


@each("realm", ["http://auth.example.com/token", "ftp://example.com/", "token", ""])
def test_credentials_are_not_sent_in_clear(realm: str) -> None:
    registry = Registry(Reference.parse("registry.example.com/x:1"), timeout=5)

    with pytest.raises(HttpError, match="in clear"):
        registry.login_at(realm, LOGINS[0])


def test_tags_do_not_continue_on_another_server() -> None:
    with serve() as web, serve() as other:
        link = {"Link": f'<{other.url}/v2/charts/own/tags/list?last=a>; rel="next"'}
        web.pages["/v2/charts/own/tags/list"] = Page(
            b'{"tags": ["a"]}', "application/json", headers=link
        )

        with pytest.raises(HttpError, match="another server"):
            registry_at(web, LOGINS[0]).tags()

        assert other.answers() == []


def test_redirected_blob_is_fetched_without_credentials() -> None:
    with serve() as web, serve() as other:
        other.pages["/blob"] = Page(b"content", "application/octet-stream")
        web.pages["/blob"] = Page(b"", "", status=307, headers={"Location": f"{other.url}/blob"})

        content, _ = read(Download(f"{web.url}/blob", {"Authorization": "Bearer c4nary"}), 100)

        assert content == b"content"
        assert "c4nary" in texts_of(web)
        assert "Authorization" not in texts_of(other)


def test_netrc_does_not_replace_registry_token(empty_home: Path) -> None:
    (empty_home / ".netrc").write_text("machine 127.0.0.1 login me password other\n")
    with serve() as web:
        web.pages["/blob"] = Page(b"content", "application/octet-stream")

        read(Download(f"{web.url}/blob", {"Authorization": "Bearer c4nary"}), 100)

        assert "Bearer c4nary" in texts_of(web)
