"""What a login must do with any provider: checked with the double, and with a real one."""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import sys
import threading
import time
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import fetch_token, log_in, log_out
from commodore_py.lieutenant.clusters import load_cluster
from tests.support.lieutenant import cluster_object, make_record, report, tenant_object
from tests.support.servers.api import Api, Reply, serve_api

from .person import Person, browser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

DESKTOP = ("BROWSER", "CI", "DISPLAY", "SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY")
ASKING = "commodore_py.lieutenant.auth.login.instructions"


class Provider(Protocol):
    """What the contract needs of one."""

    @property
    def discovery_url(self) -> str: ...
    @property
    def client_id(self) -> str: ...


@contextmanager
def interactive_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody is there: stdin is a real terminal, and this is not a CI run."""
    for name in DESKTOP:
        monkeypatch.delenv(name, raising=False)
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield


class Reader(logging.Handler):
    """A person who reads what is shown, and goes there."""

    def __init__(self, *, agrees: bool = True) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.visits: list[threading.Thread] = []
        self.agrees = agrees

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        self.shown.append(text)
        visits = Person(agrees=self.agrees).visits
        for url in re.findall(r"http\S+", text):
            self.visits.append(threading.Thread(target=visits, args=(url,)))
            self.visits[-1].start()


@contextmanager
def following_links(*, agrees: bool = True) -> Iterator[Reader]:
    """Have what is shown read."""
    reader = Reader(agrees=agrees)
    shown = logging.getLogger(ASKING)
    shown.addHandler(reader)
    try:
        yield reader
    finally:
        shown.removeHandler(reader)
        for visit in reader.visits:
            visit.join()


def cached(empty_home: Path) -> dict[str, Any]:
    """The content of the token cache."""
    content: dict[str, Any] = json.loads((empty_home / ".cache/commodore/token").read_text())
    return content


class LoginContract:
    """A test class defines `start` and the lifetime of a short token."""

    start: Callable[..., AbstractContextManager[Provider]]
    short: float = 12
    pause: float = 2.6
    """Seconds after which a short token is of no use: ten are to spare."""

    @pytest.fixture
    def api(self) -> Iterator[Api]:
        with serve_api() as api:
            api.serves("/clusters/c-1", cluster_object())
            api.serves("/tenants/t-1", tenant_object())
            api.on("POST /clusters/c-1/compileMeta", Reply(204))
            yield api

    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with interactive_terminal(monkeypatch):
            yield

    @pytest.fixture
    def lifetime(self) -> str:
        return "usual"

    @pytest.fixture
    def provider(self, api: Api, lifetime: str) -> Iterator[Provider]:
        """A provider that the API refers to."""
        with type(self).start(lifetime=self.short if lifetime == "short" else 300) as provider:
            oidc = {"clientId": provider.client_id, "discoveryUrl": provider.discovery_url}
            api.serves("/", {"apiVersion": "v1", "oidc": oidc})
            yield provider

    @pytest.fixture
    def config(self, api: Api, provider: Provider, tmp_path: Path) -> Config:
        del provider  # it runs, and the API refers to it
        return Config(
            WorkPaths(tmp_path), api_url=api.url, oidc_listen="localhost:0", login_timeout=20
        )

    @pytest.fixture
    def agreeing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BROWSER", browser("agrees"))

    @pytest.mark.usefixtures("agreeing")
    def test_login_is_cached(self, config: Config, api: Api, empty_home: Path) -> None:
        token = log_in(config)

        entry = cached(empty_home)[api.url]
        assert entry["id_token"] == token
        assert entry["scope"] == ["openid", "email", "profile"]
        assert entry["expires_at"] > time.time()
        place = empty_home / ".cache" / "commodore"
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert stat.S_IMODE((place / "token").stat().st_mode) == 0o600

    @pytest.mark.usefixtures("agreeing")
    def test_valid_token_is_used_without_login(
        self, config: Config, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token = log_in(config)
        monkeypatch.setenv("CI", "true")
        api.received.clear()

        assert [log_in(config), fetch_token(config)] == [token, token]
        assert api.received == []

    @pytest.mark.usefixtures("agreeing")
    def test_command_starts_login(self, config: Config, api: Api, empty_home: Path) -> None:
        load_cluster(config, "c-1")

        tokens = {request.token for request in api.received if request.path != "/"}
        assert tokens == {f"Bearer {cached(empty_home)[api.url]['id_token']}"}

    @pytest.mark.parametrize("lifetime", ["short"])
    @pytest.mark.usefixtures("agreeing")
    def test_token_that_expires_during_run_is_renewed(
        self, config: Config, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        load_cluster(config, "c-1")
        monkeypatch.setenv("CI", "true")
        monkeypatch.setenv("BROWSER", "false %s")
        time.sleep(self.pause)

        report(config, make_record())

        first, last = api.received[1].token, api.received[-1].token
        assert api.received[-1].path == "/clusters/c-1/compileMeta"
        assert last
        assert last != first

    @pytest.mark.usefixtures("agreeing")
    def test_logout_removes_one_login(self, config: Config, api: Api, empty_home: Path) -> None:
        file = empty_home / ".cache/commodore/token"
        file.parent.mkdir(parents=True)
        file.write_text('{"https://other.example.com": {"id_token": "x"}}')
        log_in(config)

        assert set(cached(empty_home)) == {api.url, "https://other.example.com"}
        assert [log_out(config), log_out(config)] == [True, False]
        assert cached(empty_home) == {"https://other.example.com": {"id_token": "x"}}

    @pytest.mark.usefixtures("empty_home")
    def test_device_flow_replaces_browser(self, config: Config) -> None:
        with following_links() as reader:
            token = log_in(replace(config, oidc_listen=""))

        assert token
        (shown,) = reader.shown
        assert shown.startswith("Log in on any device: go to\n  http")
        assert "and make sure it shows: " in shown

    def test_another_device_can_be_asked_for(
        self, config: Config, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BROWSER", browser("refuses"))

        with following_links():
            assert log_in(config, device=True)

    @pytest.mark.parametrize("device", [False, True])
    def test_refused_login_fails(
        self, config: Config, empty_home: Path, monkeypatch: pytest.MonkeyPatch, device: bool
    ) -> None:
        monkeypatch.setenv("BROWSER", browser("refuses"))

        with (
            following_links(agrees=False) if device else nullcontext(),
            pytest.raises(CommodoreError, match="denied the login: access_denied: ") as raised,
        ):
            log_in(config, device=device)

        assert "log in again" in raised.value.hint
        assert not (empty_home / ".cache/commodore/token").exists()

    def test_answer_to_other_login_is_refused(
        self, config: Config, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BROWSER", browser("confused"))

        with pytest.raises(CommodoreError, match="does not belong to this login"):
            log_in(config)

    @pytest.mark.parametrize("device", [False, True])
    def test_login_times_out(
        self, config: Config, monkeypatch: pytest.MonkeyPatch, device: bool
    ) -> None:
        monkeypatch.setenv("BROWSER", "true %s")
        hurried = replace(config, login_timeout=1)

        with pytest.raises(CommodoreError, match="the login timed out after 1 seconds"):
            log_in(hurried, device=device)
