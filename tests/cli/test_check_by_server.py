"""`commodore catalog check --server`: verdicts of an API server, by dry runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine
    from tests.support.servers.kubernetes import Cluster

OBJECTS = [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "good", "namespace": "shop"}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bad", "namespace": "shop"}},
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key", "namespace": "shop"},
        "stringData": {"a": "hunter2"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "reference", "namespace": "shop"},
        "data": {"a": "?{vaultkv:a/b/c}"},
    },
    {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "unknown"}},
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        Path("kubeconfig").write_text(kubernetes.kubeconfig_of(cluster.url))
        monkeypatch.setenv("KUBECONFIG", "kubeconfig")
        yield cluster


def test_refused_objects_are_errors_and_nothing_is_written(
    commodore: CommandLine, server: Cluster
) -> None:
    def refuse(_method: str, path: str) -> Refusal | None:
        return Refusal(422, "Invalid", "the name is not valid") if "/bad" in path else None

    server.before = refuse
    before = dict(server.objects)
    Path("manifests").mkdir()
    Path("manifests/all.yaml").write_text("---\n".join(json.dumps(one) + "\n" for one in OBJECTS))

    ran = commodore("catalog", "check", "--catalog", "manifests", "--server", "-o", "json")

    problems = [one for one in json.loads(ran.out)["problems"] if "server/" in one["code"]]
    assert ran.code == 1
    assert [(one["code"], one["severity"]) for one in problems] == [
        ("server/refused", "error"),
        ("server/unchecked", "info"),
    ]
    assert "the name is not valid" in problems[0]["message"]
    assert problems[0]["place"]["object"] == "ConfigMap shop/bad"
    assert "Widget of example.com/v1" in problems[1]["message"]
    applied = [path for method, path in server.requests if method != "GET"]
    assert len(applied) == 2
    assert all("configmaps" in path and "dryRun=All" in path for path in applied)
    assert not any("/reference" in path for path in applied)
    assert server.objects == before


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (500, "failed to create typed patch object: field not declared", "server/refused"),
        (500, "a webhook does not answer", "server/unchecked"),
        (405, "the method is not allowed", "server/unchecked"),
    ],
)
def test_failed_server_dry_run_is_reported_as_problem(
    commodore: CommandLine, server: Cluster, status: int, message: str, code: str
) -> None:
    server.before = lambda method, _: (
        Refusal(status, "Other", message) if method == "PATCH" else None
    )
    Path("manifests").mkdir()
    Path("manifests/one.yaml").write_text(json.dumps(OBJECTS[0]))

    ran = commodore("catalog", "check", "--catalog", "manifests", "--server", "-o", "json")

    assert code in {one["code"] for one in json.loads(ran.out)["problems"]}


def test_unknown_kubeconfig_context_is_an_error(commodore: CommandLine, server: Cluster) -> None:
    Path("manifests").mkdir()

    ran = commodore(
        "catalog", "check", "--catalog", "manifests", "--server", "--context", "elsewhere"
    )

    assert ran.code == 2
    assert "there is no context elsewhere" in ran.err
    assert server.requests == []
