"""Grace periods of health rules: `parameters.commodore.live.health` while a cluster changes."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.case_directory import write_files
from tests.support.live_catalog import catalog_for
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"replicas": 1},
}
FAILED = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
READY = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        cluster.put({**DEPLOYMENT, "status": {"conditions": [FAILED]}})
        yield cluster


@pytest.fixture
def live(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    place = catalog_for(server, DEPLOYMENT)

    def run(verb: str, *words: str, grace: str) -> Ran:
        rules = f"{{commodore: {{live: {{health: {{apps/Deployment: {{grace: {grace}}}}}}}}}}}"
        files = {
            "targets/cluster.yml": "classes: [params.cluster, global.live]",
            "classes/params/cluster.yml": "parameters: {cluster: {name: c-demo-1}}",
            "classes/global/live.yml": f"parameters: {rules}",
        }
        write_files(Path("inventory"), files)
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def test_wait_tolerates_degraded_object_in_grace_period(
    live: Callable[..., Ran], server: Cluster
) -> None:
    lasting = "99999h"  # from the day on which the objects of the small server are created
    before = live("status", grace=lasting).out
    looks = count()

    def ready_at_the_second_look(_: str, path: str) -> None:
        if "deployments" in path and next(looks) == 1:
            server.put({**DEPLOYMENT, "status": READY})

    server.before = ready_at_the_second_look
    waited = live("wait", "--timeout", "60", grace=lasting)

    assert waited.code == 0, waited.err
    assert "Progressing" in before
    assert "Degraded, in grace for" in waited.err


def test_grace_period_uses_clock_of_server(
    live: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    then = BaseHTTPRequestHandler.date_time_string
    soon_after = 1_767_225_600 + 1800  # half an hour after 2026-01-01T00:00:00Z

    assert time.time() - soon_after > 3600
    assert "Degraded" in live("status", grace="1h").out
    monkeypatch.setattr(
        BaseHTTPRequestHandler, "date_time_string", lambda self, _=None: then(self, soon_after)
    )
    assert "in grace for 18" in live("status", grace="1h").out
