"""`live wait --plan`: a plan is followed by what the cluster reports of its steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.delivery.readiness import BACK_ENDS, Expected, result_of
from tests.support.plan_catalogs import application, owner
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster

PLAN = {
    "serial": [
        {"concurrent": ["one", {"instance": "two", "allowDegraded": True}]},
        {"on": {"cluster": "far", "do": "three"}},
        {"when": {"if": False, "then": "four"}},
    ]
}
STEPS = ("one", "two", "three", "cluster-far")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "syn"}})
        yield cluster


@pytest.fixture
def wait(commodore: CommandLine, server: Cluster) -> Callable[..., Ran]:
    """A working directory with a plan, and the catalog of it."""
    clusters = {"far": {"server": "https://far.example.com"}}
    delivery = {"unlisted": "last", "clusters": clusters}
    parameters = {"commodore": {"plan": PLAN, "delivery": delivery}}
    files: dict[str, Any] = {
        "inventory/targets/cluster.yml": {"classes": ["plan"], "parameters": parameters},
        "inventory/classes/plan.yml": {},
        **{
            f"inventory/targets/{name}.yml": {
                "classes": [],
                "parameters": {"_base_directory": f"dependencies/{name}"},
            }
            for name in (*STEPS[:3], "four")
        },
        "catalog/manifests/apps/root.yaml": owner(),
        **{
            f"catalog/manifests/apps/{name}.yaml": application(name, f"manifests/{name}")
            for name in STEPS
        },
    }
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(json.dumps(content))
    Path("kubeconfig").write_text(kubernetes.kubeconfig_of(server.url))

    def run(*words: str) -> Ran:
        place = ("--catalog", "catalog", "--kubeconfig", "kubeconfig")
        return commodore("live", "wait", "c-demo-1", *place, "--plan", "--timeout", "1", *words)

    return run


def deploy(server: Cluster, *names: str, health: str = "Healthy", **more: Any) -> None:  # noqa: ANN401
    """Applications as Argo CD reports them."""
    for name in names:
        content = application(name, f"manifests/{name}")
        sync = {
            "status": "Synced",
            "revision": COMMIT,
            "comparedTo": {"source": content["spec"]["source"]},
        }
        content["status"] = {"health": {"status": health}, "sync": sync, **more}
        server.put(content)


def test_wait_follows_plan_until_all_steps_are_ready(
    wait: Callable[..., Ran], server: Cluster
) -> None:
    deploy(server, "one", "three", "cluster-far")
    deploy(server, "two", health="Degraded")

    ran = wait("-o", "json")

    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["schema"], found["state"]) == ("live-wait-plan/v1", "done")
    assert {one["name"]: one["state"] for one in found["steps"]} == {
        **dict.fromkeys(STEPS, "Provisioned"),
        "four": "Deprovisioned",
    }


def test_wait_reports_steps_that_are_not_ready(wait: Callable[..., Ran], server: Cluster) -> None:
    deploy(server, "two")

    missing = wait()
    doomed = application("one", "manifests/one")
    doomed["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    server.put(doomed)
    deleted = wait()

    assert {one.code for one in (missing, deleted)} == {7}
    assert missing.out.splitlines() == [
        "one: Provisioning (Application missing)",
        "two: Provisioned",
    ]
    assert "one: Provisioning (Application is being deleted)" in deleted.out


def test_wait_fails_at_once_on_invalid_spec_only(wait: Callable[..., Ran], server: Cluster) -> None:
    deploy(server, "two")
    conditions = [{"type": "ComparisonError", "message": "no repository"}]
    deploy(server, "one", health="Progressing", conditions=conditions)

    patient, fast = wait(), wait("--fail-fast")
    conditions[0]["type"] = "InvalidSpecError"
    deploy(server, "one", conditions=conditions)
    invalid = wait()

    assert (patient.code, fast.code, invalid.code) == (7, 1, 1)
    assert "one: Errored (ComparisonError: no repository)" in fast.out
    assert "one: Errored (InvalidSpecError: no repository)" in invalid.out


def test_wait_for_gone_names_owner_without_prune(wait: Callable[..., Ran], server: Cluster) -> None:
    deploy(server, "one", "three")

    left = wait("--for", "gone")
    server.remove("Application", "three", "syn")
    server.remove("Application", "one", "syn")
    gone = wait("--for", "gone")

    assert (left.code, gone.code) == (7, 0)
    why = "Application is present, and no one deletes it, and root does not prune"
    assert f"three: Deprovisioning ({why})" in left.out
    assert "one: " not in left.out  # its turn is after three
    assert "one: Deprovisioned" in gone.out


@pytest.mark.parametrize(
    "words", [("--for", "synced"), ("--app", "one"), ("-n", "syn")], ids=lambda words: words[0]
)
def test_options_without_use_for_plan_are_refused(
    wait: Callable[..., Ran], words: tuple[str, ...]
) -> None:
    assert wait(*words).code == 2


def test_plan_options_require_plan(commodore: CommandLine) -> None:
    ran = commodore("live", "wait", "c-demo-1", "--fail-fast")

    assert (ran.code, "--plan" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("status", "expected", "state"),
    [
        ({"status": "True"}, {}, "done"),
        ({"status": "True", "observedGeneration": 1}, {}, "yield"),
        ({"status": "False", "reason": "HealthCheckFailed"}, {}, "yield"),
        ({"status": "False", "reason": "HealthCheckFailed"}, {"allow_degraded": True}, "done"),
        ({"status": "False", "reason": "BuildFailed"}, {"fail_fast": True}, "error"),
    ],
)
def test_kustomization_is_ready_at_observed_generation(
    status: dict[str, Any], expected: dict[str, Any], state: str
) -> None:
    condition = {"type": "Ready", "observedGeneration": 2, **status}
    live = {
        "metadata": {"name": "one", "generation": 2},
        "status": {"conditions": [condition], "lastAppliedRevision": f"main@sha1:{COMMIT}"},
    }

    assert result_of(BACK_ENDS["flux"], live, Expected(**expected)).state == state
