"""Logging in, with a provider that does what the test wants."""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from commodore_py.adapters.http import HttpError
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.lieutenant import (
    cluster_ids,
    fetch_token,
    list_clusters,
    load_cluster,
    log_in,
    log_out,
    report,
)
from tests.oidc_provider import double
from tests.oidc_provider.contract import ASKING, LoginContract, a_terminal, cached, reading
from tests.oidc_provider.double import CLIENT, Double, jwt
from tests.oidc_provider.person import Person, browser
from tests.unit.lieutenant.api import Api, Reply, refuses, says, serving
from tests.unit.lieutenant.objects import cluster_object, make_record, tenant_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestWithTheDouble(LoginContract):
    start = staticmethod(double.providing)
    short = 10.4
    pause = 0.6


@pytest.fixture
def provider() -> Iterator[Double]:
    with double.providing() as provider:
        yield provider


@pytest.fixture
def api(provider: Double) -> Iterator[Api]:
    """An API that tells where to log in, and knows one cluster."""
    with serving() as api:
        api.serves("/", {"oidc": {"clientId": CLIENT, "discoveryUrl": provider.discovery_url}})
        api.serves("/clusters/c-1", cluster_object())
        api.serves("/clusters/", [cluster_object()])
        api.serves("/tenants/t-1", tenant_object())
        api.on("POST /clusters/c-1/compileMeta", Reply(204))
        yield api


@pytest.fixture
def config(api: Api, tmp_path: Path) -> Config:
    return Config(WorkPaths(tmp_path), api_url=api.url, oidc_listen="localhost:0", login_timeout=10)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody at a terminal who goes where it says, and agrees to everything."""
    with a_terminal(monkeypatch), reading():
        yield


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")


def keeps(stranger: Path, entries: object) -> Path:
    """Have the token cache hold this."""
    file = stranger / ".cache" / "commodore" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(entries))
    return file


def good_token() -> str:
    return jwt({"exp": time.time() + 60, "iss": "kept"})


def spent_token() -> str:
    return jwt({"exp": time.time() - 60})


# ------------------------------------------------------------------ where the token comes from


@pytest.mark.spec("02.19")
def test_an_expired_token_is_replaced_by_the_one_kept(
    config: Config, api: Api, stranger: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keeps(stranger, {api.url: {"id_token": (kept := good_token())}})
    given = jwt({"exp": 0})

    assert list_clusters(replace(config, api_token=given)) == [cluster_object()]

    assert api.asked[0].token == f"Bearer {kept}"
    (message,) = caplog.messages
    assert message == (
        "the API token has expired: it was good until 1970-01-01 00:00:00+00:00;"
        " a kept one, or a login, takes its place"
    )


@pytest.mark.spec("02.19")
@pytest.mark.usefixtures("person")
def test_an_expired_token_is_replaced_by_a_login(config: Config, api: Api, stranger: Path) -> None:
    list_clusters(replace(config, api_token=spent_token()))

    assert api.asked[-1].token == f"Bearer {cached(stranger)[api.url]['id_token']}"


def test_a_good_token_given_comes_first(config: Config, api: Api, stranger: Path) -> None:
    keeps(stranger, {api.url: {"id_token": good_token()}})

    list_clusters(replace(config, api_token="sesame"))

    assert api.asked[0].token == "Bearer sesame"


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize(
    "entry",
    [
        "an old token",
        {},
        {"id_token": 5, "refresh_token": None},
        {"id_token": "two words"},
        {"id_token": spent_token()},
    ],
)
def test_where_nobody_can_log_in_nobody_is_asked(
    config: Config, api: Api, provider: Double, stranger: Path, entry: object
) -> None:
    keeps(stranger, {api.url: entry})

    for ask in (
        lambda: load_cluster(config, "c-1"),
        lambda: report(config, make_record()),
        lambda: fetch_token(config),
        lambda: log_in(config),
    ):
        with pytest.raises(CommodoreError, match="no token for the API") as raised:
            ask()
        assert "--api-token or COMMODORE_API_TOKEN" in raised.value.hint
        assert "this is a CI run, or has no terminal" in raised.value.__notes__[0]

    assert [*api.asked, *provider.asked] == []


@pytest.mark.usefixtures("nobody")
def test_a_session_is_renewed_without_a_person(
    config: Config, api: Api, provider: Double, stranger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_terminal(monkeypatch):
        monkeypatch.setenv("BROWSER", browser("agrees"))
        first = log_in(config)
    entries = cached(stranger)
    entries[api.url]["id_token"] = spent_token()
    (stranger / ".cache/commodore/token").write_text(json.dumps(entries))
    monkeypatch.setenv("CI", "true")

    second = fetch_token(config)

    assert second not in {first, ""}
    assert cached(stranger)[api.url]["id_token"] == second
    assert provider.requests("/token")[-1]["refresh_token"] == entries[api.url]["refresh_token"]
    assert cached(stranger)[api.url]["refresh_token"] != entries[api.url]["refresh_token"]


def a_session_to_renew(config: Config, api: Api, stranger: Path) -> str:
    """Log in, and have the token expire; the refresh token."""
    log_in(config)
    entries = cached(stranger)
    entries[api.url]["id_token"] = spent_token()
    (stranger / ".cache/commodore/token").write_text(json.dumps(entries))
    return str(entries[api.url]["refresh_token"])


@pytest.mark.usefixtures("person")
def test_a_refresh_token_is_kept_until_there_is_another(
    config: Config, api: Api, provider: Double, stranger: Path
) -> None:
    refresh_token = a_session_to_renew(config, api, stranger)
    provider.behaviour.answer = {"refresh_token": None}

    log_in(config)

    assert cached(stranger)[api.url]["refresh_token"] == refresh_token


@pytest.mark.spec("02.27")
@pytest.mark.usefixtures("person")
def test_a_session_that_is_not_renewed_ends_in_a_login(
    config: Config,
    api: Api,
    provider: Double,
    stranger: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    a_session_to_renew(config, api, stranger)
    provider.behaviour.renews = False
    provider.asked.clear()
    caplog.clear()

    token = log_in(config)

    assert token == cached(stranger)[api.url]["id_token"]
    assert [fields["grant_type"] for fields in provider.requests("/token")] == [
        "refresh_token",
        "authorization_code",
    ]
    assert caplog.messages[0] == (
        "the session cannot be renewed: answered 400 Bad Request:"
        " invalid_grant: grant request is invalid"
    )


@pytest.mark.usefixtures("person")
def test_runs_side_by_side_renew_a_session_once(
    config: Config, api: Api, provider: Double, stranger: Path
) -> None:
    a_session_to_renew(config, api, stranger)
    provider.asked.clear()
    found: list[str] = []
    runs = [threading.Thread(target=lambda: found.append(fetch_token(config))) for _ in range(4)]

    for run in runs:
        run.start()
    for run in runs:
        run.join()

    assert len(found) == 4
    assert set(found) == {cached(stranger)[api.url]["id_token"]}
    assert len(provider.requests("/token")) == 1


def test_completion_logs_nobody_in(
    config: Config, api: Api, provider: Double, stranger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeps(stranger, {api.url: {"id_token": spent_token(), "refresh_token": "x"}})

    with a_terminal(monkeypatch):
        monkeypatch.setenv("BROWSER", browser("agrees"))
        assert cluster_ids(config) == []
        with pytest.raises(CommodoreError, match="no token for the API"):
            list_clusters(replace(config, may_log_in=False))

    assert [*api.asked, *provider.asked] == []


def test_completion_takes_a_token_that_is_kept(config: Config, api: Api, stranger: Path) -> None:
    keeps(stranger, {api.url: {"id_token": good_token()}})

    assert cluster_ids(config) == ["c-1"]


@pytest.mark.parametrize("status", [400, 401])
def test_a_token_that_the_api_refuses_can_be_replaced(
    config: Config, api: Api, status: int
) -> None:
    api.on("GET /clusters/c-1", refuses(status, "malformed jwt"))

    with pytest.raises(HttpError, match="malformed jwt") as raised:
        load_cluster(replace(config, api_token="sesame"), "c-1")

    assert "`commodore logout` and then `commodore login`" in raised.value.hint


# ------------------------------------------------------------------ settings of the login


@pytest.mark.usefixtures("person")
def test_settings_given_are_taken_without_asking_the_api(
    config: Config, api: Api, provider: Double
) -> None:
    given = replace(config, oidc_client=CLIENT, oidc_discovery_url=provider.discovery_url)

    assert log_in(given)
    assert api.asked == []


@pytest.mark.spec("02.20")
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
def test_settings_that_are_missing_are_named(
    config: Config, api: Api, settings: dict[str, Any], missing: str, root: object
) -> None:
    api.serves("/", root)

    with pytest.raises(CommodoreError) as raised:
        log_in(replace(config, **settings))

    assert str(raised.value).startswith(f"the login lacks {missing}")
    assert raised.value.where == api.url


@pytest.mark.usefixtures("person")
def test_without_an_api_both_settings_must_be_given(config: Config, provider: Double) -> None:
    alone = replace(config, api_url="")

    with pytest.raises(CommodoreError, match="the login lacks a client id"):
        log_in(alone)
    with pytest.raises(CommodoreError, match="no API URL"):
        fetch_token(alone)
    with pytest.raises(CommodoreError, match="no API URL"):
        log_out(alone)

    both = replace(alone, oidc_client=CLIENT, oidc_discovery_url=provider.discovery_url)
    assert log_in(both).count(".") == 2


@pytest.mark.parametrize("ask", [log_in, fetch_token, log_out])
def test_a_folder_of_facts_needs_no_login(config: Config, ask: Any) -> None:  # noqa: ANN401 - three of one shape
    with pytest.raises(CommodoreError, match="a folder of cluster facts needs no token"):
        ask(replace(config, api_url="./facts"))


@pytest.mark.spec("02.21")
@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (refuses(403, "go away"), "answered 403 Forbidden: go away"),
        (Reply(200, b"<html>"), "answered 200 OK, but no JSON; it begins: <html>"),
    ],
)
def test_an_api_that_does_not_tell_how_to_log_in_is_named(
    config: Config, api: Api, reply: Reply, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    api.on("GET /", reply)

    with pytest.raises(CommodoreError, match="the login lacks a client id"):
        log_in(config)

    assert caplog.messages == [f"the API does not tell how to log in: {cause}"]
    assert caplog.records[0].__dict__["where"] == f"{api.url}/"


# ------------------------------------------------------------------ providers that are broken


@pytest.mark.spec("02.22")
@pytest.mark.usefixtures("person")
def test_a_provider_that_is_away_is_named(config: Config) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
        away = replace(config, oidc_client=CLIENT, oidc_discovery_url=url)

        with pytest.raises(HttpError, match="no connection: Connection refused") as raised:
            log_in(away)

    assert raised.value.where == url
    assert "--oidc-discovery-url" in raised.value.hint
    assert raised.value.__notes__ == [
        "while asking the identity provider how to log in",
        "while logging in",
    ]


@pytest.mark.spec("02.22", "02.23", "02.24")
@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (refuses(500, "broken"), "answered 500 Internal Server Error: broken"),
        (Reply(200, b"hello"), "answered 200 OK, but no JSON; it begins: hello"),
        (says([]), "expected a discovery document, the identity provider sent a list"),
        (
            says({"issuer": "x"}),
            "the provider's discovery document lacks authorization_endpoint and token_endpoint",
        ),
        (
            says({"authorization_endpoint": "https://x", "token_endpoint": 5}),
            "the provider's discovery document lacks token_endpoint",
        ),
    ],
)
def test_a_document_that_is_none_is_named(
    config: Config, api: Api, reply: Reply, problem: str
) -> None:
    api.on("GET /discovery", reply)
    url = f"{api.url}/discovery"

    with pytest.raises(CommodoreError) as raised:
        load_cluster(replace(config, oidc_client=CLIENT, oidc_discovery_url=url), "c-1")

    assert str(raised.value) == problem
    assert raised.value.where == url
    assert "--oidc-discovery-url" in raised.value.hint


@pytest.mark.spec("02.24")
@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    "key", ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint"]
)
def test_plain_http_is_for_this_machine_only(config: Config, provider: Double, key: str) -> None:
    provider.behaviour.document = {key: "http://idp.example.com/x"}

    with pytest.raises(CommodoreError, match=f"the provider's {key} is not https") as raised:
        log_in(config)

    assert raised.value.where == "http://idp.example.com/x"
    assert "localhost" in raised.value.hint


@pytest.mark.usefixtures("person")
def test_a_plain_discovery_url_is_refused_unasked(config: Config) -> None:
    url = "http://idp.example.com/.well-known/openid-configuration"

    with pytest.raises(CommodoreError, match="identity provider is not https") as raised:
        log_in(replace(config, oidc_client=CLIENT, oidc_discovery_url=url))

    assert raised.value.where == url


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("issuer", "said"), [("https://idp.example.com", "another issuer"), (None, "no issuer")]
)
def test_a_document_of_another_provider_is_warned_about(
    config: Config,
    provider: Double,
    issuer: str | None,
    said: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider.behaviour.document = {"issuer": issuer}
    provider.behaviour.claims = {"iss": issuer}
    provider.behaviour.arrival = {"iss": issuer or ""}

    assert log_in(config)
    assert f"the provider's discovery document names {said}" in caplog.messages[0]
    log_out(config)
    with pytest.raises(CommodoreError, match=f"names {said}"):
        log_in(replace(config, strict=True))


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ({"answer": {"id_token": None}}, "it holds no id_token"),
        ({"answer": {"id_token": "opaque"}}, "its id_token is no JSON web token"),
        ({"answer": {"id_token": f"{good_token()}\n"}}, "its id_token is no JSON web token"),
        ({"claims": {"iss": "https://x"}}, "its id_token is of another issuer: https://x"),
        ({"claims": {"aud": "web"}}, "its id_token is not for commodore, but for web"),
        ({"claims": {"aud": ["a", CLIENT], "azp": "a"}}, "its id_token is not for commodore"),
        ({"claims": {"nonce": "x"}}, "its id_token is of another login: the nonce differs"),
        ({"claims": {"nonce": None}}, "its id_token is of another login: the nonce differs"),
        ({"claims": {"exp": 5}}, "its id_token has expired already"),
        ({"claims": {"exp": None}}, "its id_token does not say how long it is good"),
        ({"raw": {"/token": (200, b"[]")}}, "expected an object, found a list"),
    ],
)
def test_tokens_that_are_not_ours_are_refused(
    config: Config, provider: Double, stranger: Path, behaviour: dict[str, Any], problem: str
) -> None:
    for name, value in behaviour.items():
        setattr(provider.behaviour, name, value)

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    assert str(raised.value).startswith(
        f"the answer of the identity provider is of no use: {problem}"
    )
    assert raised.value.where == f"{provider.issuer}/token"
    assert not (stranger / ".cache/commodore/token").exists()


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ((200, b"id_token=sesame"), "answered 200 OK, but no JSON$"),
        ((400, b'{"error": "invalid_client"}'), "answered 400 Bad Request: invalid_client"),
        ((502, b"<html>"), "answered 502 Bad Gateway"),
    ],
)
def test_a_failing_token_endpoint_ends_the_login(
    config: Config, provider: Double, raw: tuple[int, bytes], problem: str
) -> None:
    provider.behaviour.raw = {"/token": raw}

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    assert re.search(problem, str(raised.value))
    assert raised.value.__notes__[0] == "while asking the identity provider for a token"
    assert "--oidc-client" in raised.value.hint


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("arrival", "problem"),
    [
        ({"code": ""}, "holds no code"),
        ({"state": ""}, "does not belong to this login: its state is another"),
        ({"state": "x", "code": "", "error": "x"}, "does not belong to this login"),
        ({"state": "", "code": "", "error": "x"}, "the identity provider refused: x"),
        ({"error": "a\x1b[2Jb"}, "the identity provider refused: a [2Jb"),
        ({"iss": "https://evil.example.com"}, "of another provider: https://evil.example.com"),
        ({"iss": ""}, "of another provider: unnamed"),
    ],
)
def test_what_the_browser_brings_is_checked(
    config: Config, provider: Double, arrival: dict[str, str], problem: str
) -> None:
    provider.behaviour.arrival = arrival

    with pytest.raises(CommodoreError) as raised:
        log_in(config)

    assert problem in str(raised.value)
    assert provider.requests("/token") == []


# ------------------------------------------------------------------ the browser comes back


@pytest.mark.usefixtures("person")
def test_the_provider_is_asked_as_it_should_be(config: Config, provider: Double) -> None:
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


def test_only_the_expected_path_ends_a_login(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor("/healthz", "/favicon.ico?code=x&state=y", "/login?error=x")

    with a_terminal(monkeypatch), shown_to(visitor):
        assert log_in(config)

    assert visitor.seen == [(200, "ok"), (404, "not here"), (404, "not here")]
    assert "You are logged in" in visitor.last


def test_the_page_tells_what_went_wrong(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor()
    provider.behaviour.arrival = {"error": "<script>"}

    with (
        a_terminal(monkeypatch),
        shown_to(visitor),
        pytest.raises(CommodoreError, match="refused: <script>"),
    ):
        log_in(config)

    assert "You are not logged in" in visitor.last
    assert "&lt;script&gt;" in visitor.last
    assert "<script>" not in visitor.last


@pytest.mark.spec("02.25")
@pytest.mark.usefixtures("person")
@pytest.mark.parametrize("listen", ["localhost:{}", "127.0.0.1:{}", "0.0.0.0:{}"])
def test_a_busy_port_is_named_with_ways_out(config: Config, listen: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(CommodoreError, match=f"another program listens on port {port}") as got:
            log_in(replace(config, oidc_listen=listen.format(port)))

    assert "--device" in got.value.hint
    assert "--oidc-listen" in got.value.hint


@contextmanager
def port_18000_taken() -> Iterator[None]:
    """By us, or by whoever has it already."""
    with ExitStack() as held:
        with suppress(OSError):
            held.enter_context(socket.create_server(("127.0.0.1", 18000)))
        yield


@pytest.mark.spec("02.25")
def test_the_usual_port_is_the_one_registered(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_terminal(monkeypatch), port_18000_taken():
        monkeypatch.setenv("BROWSER", "true %s")
        with pytest.raises(CommodoreError, match="another program listens on port 18000"):
            log_in(replace(config, oidc_listen=""))


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize("listen", ["localhost", ":18000", "localhost:x", "localhost:70000"])
def test_an_address_that_is_none_is_a_wrong_use(config: Config, listen: str) -> None:
    with pytest.raises(UsageError, match=f"not an address to listen at: {listen}"):
        log_in(replace(config, oidc_listen=listen))


@pytest.mark.usefixtures("person")
def test_an_address_that_is_not_ours_cannot_be_listened_at(config: Config) -> None:
    with pytest.raises(CommodoreError, match="cannot listen: ") as raised:
        log_in(replace(config, oidc_listen="192.0.2.1:0"))

    assert raised.value.where == "192.0.2.1:0"


# ------------------------------------------------------------------ on another device


def test_where_no_browser_is_the_address_is_shown(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.behaviour.document = {"device_authorization_endpoint": None}

    with a_terminal(monkeypatch), reading() as reader:
        assert log_in(config)

    assert reader.shown[0].startswith("Log in with a browser that reaches port ")


@pytest.mark.spec("02.25")
def test_a_client_that_may_not_use_devices_is_sent_to_a_browser(
    config: Config,
    provider: Double,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider.behaviour.raw = {"/device/auth": (401, b'{"error": "unauthorized_client"}')}

    with a_terminal(monkeypatch), port_18000_taken():
        monkeypatch.setenv("SSH_CONNECTION", "1")
        monkeypatch.setenv("DISPLAY", ":0")
        with pytest.raises(CommodoreError, match="another program listens on port 18000"):
            log_in(replace(config, oidc_listen=""))

    assert caplog.messages == [
        "no login on another device: answered 401 Unauthorized: unauthorized_client"
    ]


def test_a_device_that_was_asked_for_is_no_browser(
    config: Config, provider: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_terminal(monkeypatch):
        provider.behaviour.raw = {"/device/auth": (401, b'{"error": "unauthorized_client"}')}
        with pytest.raises(CommodoreError, match="answered 401 Unauthorized: unauthorized_client"):
            log_in(config, device=True)
        provider.behaviour.raw = {"/device/auth": (200, b'{"device_code": "x"}')}
        with pytest.raises(CommodoreError, match="sent neither page nor code"):
            log_in(config, device=True)
        provider.behaviour.document = {"device_authorization_endpoint": None}
        with pytest.raises(CommodoreError, match="offers no login on another device"):
            log_in(config, device=True)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (b'{"error": "expired_token"}', "nobody logged in within"),
        (b'{"error": "invalid_grant"}', "answered 400 Bad Request: invalid_grant"),
    ],
)
def test_an_invitation_that_ends_is_told(
    config: Config,
    provider: Double,
    monkeypatch: pytest.MonkeyPatch,
    error: bytes,
    problem: str,
) -> None:
    provider.behaviour.raw = {"/token": (400, error)}

    with a_terminal(monkeypatch), pytest.raises(CommodoreError, match=problem):
        log_in(config, device=True)


# ------------------------------------------------------------------ the cache


@pytest.mark.spec("02.28")
@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[]", "holds a list; it is started anew"),
        (b"null", "holds nothing; it is started anew"),
        (b"{", "is no JSON; it is started anew"),
        (b"\xff\xfe\xfa", "is no JSON; it is started anew"),
    ],
)
def test_a_broken_cache_is_started_anew(
    config: Config,
    stranger: Path,
    content: bytes,
    problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = keeps(stranger, None)
    file.write_bytes(content)

    token = log_in(config)

    assert cached(stranger)[config.api_url]["id_token"] == token
    assert caplog.messages[0] == f"{file} {problem}"


@pytest.mark.usefixtures("person")
def test_a_token_that_cannot_be_kept_is_good_for_this_run(
    config: Config, api: Api, stranger: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (stranger / ".cache").write_text("no folder")

    assert load_cluster(config, "c-1").id == "c-1"
    assert "cannot keep the token" in caplog.text
    with pytest.raises(CommodoreError, match="cannot keep the token") as raised:
        log_in(config)
    assert "XDG_CACHE_HOME" in raised.value.hint
    assert api.asked[-1].path == "/"
