"""Grace periods of health rules: `parameters.commodore.live.health` while a cluster changes."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.case_directory import write_files
from tests.support.cluster_cases import serve_cluster
from tests.support.plan_catalogs import application

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
def server(commodore: CommandLine) -> Iterator[Cluster]:
    del commodore  # it has changed to an empty directory
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    failed = {**DEPLOYMENT, "status": {"conditions": [FAILED]}}
    with serve_cluster(Path(), {"put": [namespace, failed]}) as cluster:
        yield cluster


@pytest.fixture
def live(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    del server  # its kubeconfig names it

    def run(verb: str, *words: str, grace: str) -> Ran:
        rules = f"{{commodore: {{live: {{health: {{apps/Deployment: {{grace: {grace}}}}}}}}}}}"
        files = {
            "catalog/manifests/apps.yaml": {"objects": [application("shop", "manifests/shop")]},
            "catalog/manifests/shop/web.yaml": {"objects": [DEPLOYMENT]},
            "inventory/targets/cluster.yml": "classes: [params.cluster, global.live]",
            "inventory/classes/params/cluster.yml": "parameters: {cluster: {name: c-demo-1}}",
            "inventory/classes/global/live.yml": f"parameters: {rules}",
        }
        write_files(Path(), files)
        place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig", "--app", "shop")
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
