"""A provider that does what the test wants, an API that tells of it, and somebody there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.config import Config, WorkPaths
from tests.support.lieutenant import cluster_object, tenant_object
from tests.support.servers.api import Api, Reply, serve_api
from tests.support.servers.oidc import double
from tests.support.servers.oidc.contract import following_links, interactive_terminal
from tests.support.servers.oidc.double import CLIENT, Double

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def provider() -> Iterator[Double]:
    with double.serve_provider() as provider:
        yield provider


@pytest.fixture
def api(provider: Double) -> Iterator[Api]:
    """An API that tells where to log in, and knows one cluster."""
    with serve_api() as api:
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
    with interactive_terminal(monkeypatch), following_links():
        yield


@pytest.fixture
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
