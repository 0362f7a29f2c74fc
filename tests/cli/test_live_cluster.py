"""`commodore live` with a cluster: what is said about it, and what `apply` does to it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.case_directory import make_checkouts, write_files
from tests.support.cluster_cases import serve_cluster
from tests.support.programs import accept_interruptions
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Kind, Refusal
from tests.support.tables import each, load_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

    Live: TypeAlias = Callable[..., Ran]

GIVEN = load_yaml(Path(__file__).parent / "cases/live-cluster.yaml")["given"]
"""Two applications, `shop` and `bank`; an earlier commit had another object of each."""

THING = {"apiVersion": "example.com/v1", "kind": "Thing"}


NEW = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "new", "namespace": "shop"},
    "data": {"a": "1"},
}


@pytest.fixture
def server(commodore: CommandLine) -> Iterator[Cluster]:
    del commodore  # it has changed to an empty directory
    make_checkouts(Path(), GIVEN["checkout"])
    with serve_cluster(Path(), GIVEN["cluster"]) as cluster:
        yield cluster


@pytest.fixture
def live(commodore: CommandLine, server: Cluster) -> Live:
    del server  # its kubeconfig names it

    def run(verb: str, *words: str) -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
        return commodore("live", verb, "c-demo-1", *place, *words)

    return run


def _names(server: Cluster) -> list[str]:
    return sorted(
        f"{namespace}/{name}"
        for (table, namespace, name) in server.objects
        if table == "/configmaps"
    )


def _writes(server: Cluster) -> list[tuple[str, str]]:
    return [(method, path.split("?")[0]) for method, path in server.requests if method != "GET"]


@pytest.mark.parametrize("below", ["/api", "/apis", "/api/v1/configmaps", "/apis/argoproj.io"])
@pytest.mark.parametrize("verb", ["status", "apply"])
@each(
    "body",
    [
        b"5",
        b"[]",
        b"{}",
        b'{"items": "x"}',
        b'{"items": [null]}',
        b'{"metadata": 5, "items": []}',
        b'{"metadata": {"continue": 5}, "items": [{"metadata": 5}]}',
        b'{"groups": [{"versions": [5]}, 5], "resources": [{"verbs": 5}]}',
        b'{"groups": 5, "resources": {}, "versions": [5]}',
        b"{",
    ],
)
@pytest.mark.sample(8)
def test_odd_answers_are_no_defect_and_remove_nothing(
    live: Live, server: Cluster, verb: str, below: str, body: bytes
) -> None:
    asked = []

    def odd(method: str, path: str) -> Refusal | None:
        asked.append(path)
        there = path.partition("?")[0].startswith(below)
        enough = len(asked) > 99  # else, one page would follow the other
        if method != "GET" or not there or enough:
            return None
        return Refusal(200, "", "", body=body)

    server.before = odd

    ran = live(verb, *(("--prune", "--yes") if verb == "apply" else ()))

    assert ran.code in {0, 1, 7}, ran.err
    assert not [one for one in _writes(server) if one[0] == "DELETE"]


def test_wait_reads_the_kinds_of_targets_and_counts_its_time_from_the_start(
    live: Live, server: Cluster
) -> None:
    server.before = lambda _, path: time.sleep(1) if "kube-system" in path else None

    ran = live("wait", "--app", "shop", "--timeout", "1")

    assert (ran.code, ran.out) == (7, "ConfigMap shop/new: Missing\n")
    lists = [path for _, path in server.requests if "limit=" in path]
    assert lists == ["/api/v1/configmaps?limit=500"]  # once: the time was up


def test_wait_discovers_kinds_created_later(live: Live, server: Cluster) -> None:
    thing = {**THING, "metadata": {"name": "it", "namespace": "shop"}}
    write_files(Path("catalog/manifests/shop"), {"thing.yaml": {"objects": [thing]}})

    def before(_: str, path: str) -> None:
        if "configmaps?" in path and len(server.kinds) == len(kubernetes.KINDS):
            server.put(NEW)
            server.kinds.append(Kind("example.com", "v1", "Thing", "things"))
            server.put(thing)

    server.before = before

    ran = live("wait", "--app", "shop", "--timeout", "60")

    assert ran.code == 0, ran.out


@pytest.mark.parametrize("goal", ["healthy", "synced", "gone"])
def test_wait_does_not_pass_for_unreadable_kind(live: Live, server: Cluster, goal: str) -> None:
    if goal == "gone":
        server.put(NEW)
    lists: list[str] = []

    def before(_: str, path: str) -> Refusal | None:
        if "configmaps?" in path:
            lists.append(path)
        return Refusal(403, "Forbidden", "no longer") if len(lists) > 1 else None

    server.before = before

    ran = live("wait", "--app", "shop", "--for", goal, "--timeout", "2")

    assert ran.code == 7
    assert "ConfigMap shop/new: it cannot be read: " in ran.out


def _interrupted(words: tuple[str, ...], ready: Callable[[], bool]) -> tuple[int, str]:
    """Ctrl-C for a command, once something is true; its exit code and messages."""
    place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
    command = [sys.executable, "-m", "commodore_py", "live", words[0], "c-demo-1", *place]
    with subprocess.Popen(
        [*command, *words[1:]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=accept_interruptions,  # noqa: PLW1509 - no thread of ours starts programs
    ) as process:
        while not ready():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        return process.wait(), process.stderr.read() if process.stderr else ""


def test_ctrl_c_ends_waiting(live: Live, server: Cluster) -> None:
    del live  # it has prepared the catalog

    code, _ = _interrupted(
        ("wait",), lambda: any("configmaps" in path for _, path in server.requests)
    )

    assert code == 130


@pytest.mark.long
def test_ctrl_c_completes_running_requests_of_apply(live: Live, server: Cluster) -> None:
    begun, may_go_on = Event(), Event()

    def slow(method: str, path: str) -> None:
        if method == "PATCH" and "/bank/" in path:
            begun.set()
            may_go_on.wait(1.5)

    server.before = slow

    code, said = _interrupted(("apply", "--yes"), begun.is_set)

    assert code == 130, said
    assert _names(server) == ["bank/new", "bank/old", "shop/new", "shop/old"]
    (log,) = Path(".commodore/live/c-demo-1").glob("*apply*")
    assert json.loads(log.read_text().splitlines()[-1])["event"] == "done"
    server.before = lambda _, __: None
    assert live("apply", "--yes").code == 0


def test_kind_defined_by_earlier_application_is_applied(live: Live, server: Cluster) -> None:
    group = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    names = {"kind": "Thing", "plural": "things"}
    crd = {**group, "metadata": {"name": "things.example.com"}}
    thing = {**THING, "metadata": {"name": "it", "namespace": "bank"}}
    files: dict[str, Any] = {
        "shop/all.yaml": [{**crd, "spec": {"group": "example.com", "names": names}}],
        "bank/all.yaml": [thing],
    }
    manifests = Path("catalog/manifests")
    write_files(manifests, {name: {"objects": content} for name, content in files.items()})
    refused = live("apply", "--yes")
    assert "the server has no kind Thing" in refused.err
    applications = deepcopy(
        [server.objects["argoproj.io/applications", "argocd", name] for name in ("shop", "bank")]
    )
    for wave, application in enumerate(applications):
        application["metadata"]["annotations"] = {
            "argocd.argoproj.io/sync-wave": str(wave),
            "commodore-py/gate": "wait",
        }
    write_files(manifests, {"apps/all.yaml": {"objects": applications}})

    def before(method: str, path: str) -> None:
        if method == "PATCH" and "customresourcedefinitions" in path:
            server.kinds.append(Kind("example.com", "v1", "Thing", "things"))

    server.before = before
    ran = live("apply", "--yes")

    assert ran.code == 0, ran.err
    assert ("example.com/things", "bank", "it") in server.objects


def test_concurrently_changed_object_is_not_deleted(live: Live, server: Cluster) -> None:
    old = deepcopy(server.objects["/configmaps", "shop", "old"])

    def made_again(method: str, _: str) -> None:
        if method == "DELETE":
            server.remove("ConfigMap", "old", "shop")
            server.put({**old, "metadata": {**old["metadata"], "uid": "another"}})

    def changed(method: str, _: str) -> None:
        if method == "DELETE":
            server.put({**old, "data": {"a": "of others"}})

    for meanwhile in (made_again, changed):
        server.before = meanwhile

        ran = live("apply", "--app", "shop", "--prune", "--yes", "--max-grade", "data-loss")

        assert ran.code == 1
        assert "the object was changed in the meantime: plan again" in ran.err
        assert "shop/old" in _names(server)
