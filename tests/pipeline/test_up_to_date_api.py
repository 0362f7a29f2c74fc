"""A Lieutenant server is asked before a run is called unneeded, and what it says counts."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import PAUSES
from commodore_py.errors import CommodoreError, notes_of
from tests.support.fleet import CLUSTER, TENANT
from tests.support.peer import serve_facts
from tests.support.scenarios.reruns import Reruns, make_reruns, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def reruns(tmp_path: Path) -> Iterator[Reruns]:
    """Compiled from a server, until nothing was left to do."""
    reruns = make_reruns(tmp_path)
    with serve_facts(reruns.fleet.root / "facts") as server:
        reruns.settings = {"api_url": server.url, "api_token": "secret"}
        reruns.settle()
        yield reruns


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (f"clusters/{CLUSTER}.yaml", "cloud-a", "cloud-b"),
        (f"clusters/{CLUSTER}.yaml", "Cluster One", "Cluster Two"),
        (f"tenants/{TENANT}.yaml", "Acme", "Acme and Sons"),
    ],
)
def test_changed_api_responses_are_noticed(reruns: Reruns, file: str, old: str, new: str) -> None:
    rewrite(reruns.fleet.root / "facts" / file, old, new)

    ran = reruns.run()

    assert not ran.rested
    assert new in (reruns.work / "inventory/classes/params/cluster.yml").read_text()
    assert reruns.settle().rested


def test_another_token_is_another_run(reruns: Reruns) -> None:
    assert not reruns.run(api_token="another").rested


def test_the_note_holds_no_token(reruns: Reruns) -> None:
    assert b"secret" not in (reruns.work / ".commodore/unchanged").read_bytes()


def test_without_an_answer_nothing_is_shown(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    with serve_facts(reruns.fleet.root / "facts") as server:
        reruns.settings = {"api_url": server.url, "api_token": "secret"}
        reruns.settle()

    with pytest.raises(CommodoreError, match="no connection"):
        reruns.run()


def test_a_server_that_is_away_is_waited_for_once(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    received: list[str] = []

    class Away(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(self.path)
            self.send_error(503)

        def log_message(self, *_: object) -> None:  # as it would tell on stderr
            pass

    with serve_facts(reruns.fleet.root / "facts") as server:
        reruns.settings = {"api_url": server.url, "api_token": "secret"}
        reruns.settle()
        present, server.RequestHandlerClass = server.RequestHandlerClass, Away

        with pytest.raises(CommodoreError, match="answered 503") as raised:
            reruns.run()

        server.RequestHandlerClass = present
        assert received == [f"/clusters/{CLUSTER}"] * (1 + len(PAUSES))
        assert f"while loading cluster {CLUSTER}" in notes_of(raised.value)
        assert reruns.run().rested
