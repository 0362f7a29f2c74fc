"""Reconciling clusters: a push to what they share, a kill, failures, webhooks."""

from __future__ import annotations

import hmac
import json
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import requests
import yaml

from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.fleet import make_fleet
from tests.support.servers import kubernetes

from .daemon import SECRET, Daemon, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.fleet import Fleet

pytestmark = pytest.mark.slow

NAMES = [f"c-{number:02}" for number in range(6)]
PUSH = ("--reconcile", "3600", "--jobs", "2")


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Six clusters of one tenant with a component."""
    fleet = make_fleet(tmp_path / "fleet", web={})
    one = fleet.root / "facts" / "clusters" / "c-one.yaml"
    cluster = yaml.safe_load(one.read_text())
    one.unlink()
    for name in NAMES:
        make_repository(fleet.repository(name), {"README": "catalog\n"})
        facts = {**cluster, "id": name, "gitRepo": {"url": url_of(fleet.repository(name))}}
        (one.parent / f"{name}.yaml").write_text(yaml.safe_dump(facts))
    fleet.work.mkdir()
    return fleet


def test_push_to_shared_configuration_is_pushed_to_every_cluster_once(
    fleet: Fleet, tmp_path: Path
) -> None:
    facts = fleet.root / "facts"
    with serving(fleet.work, facts, *PUSH, home=tmp_path) as daemon:
        _until(daemon, lambda states: states == dict.fromkeys(NAMES, "True"))
        assert set(_commits(fleet).values()) == {2}

        fleet.change_data("second")
        answer = _hook(daemon, url_of(fleet.repository("tenant")))
        assert sorted(answer.json()["clusters"]) == NAMES
        _until(daemon, lambda _: len([n for n in _commits(fleet).values() if n == 3]) >= 3)
        daemon.stop(signal.SIGKILL)

    with serving(fleet.work, facts, *PUSH, home=tmp_path) as daemon:
        _until(daemon, lambda states: states == dict.fromkeys(NAMES, "True"))
        done = [job for job in daemon.get("/v1/jobs")["jobs"] if job["state"] == "done"]
        pushes = Counter(job["cluster"] for job in done if job["result"]["outcome"] == "pushed")
        metrics = daemon.call("GET", "/metrics").text

    assert set(_commits(fleet).values()) == {3}
    assert max(pushes.values()) <= 2
    assert 'commodore_condition{cluster="c-00",type="Synced"} 1.0' in metrics


@pytest.mark.long  # a cluster that failed is tried again after ten seconds
def test_failing_cluster_stops_no_other_and_is_retried_with_growing_pauses(
    fleet: Fleet, tmp_path: Path
) -> None:
    _keep(fleet, NAMES[:3])
    git(fleet.repository("c-00"), "config", "core.hooksPath", "hooks")
    hook = fleet.repository("c-00") / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    options = ("--reconcile", "1")
    with serving(fleet.work, fleet.root / "facts", *options, home=tmp_path) as daemon:
        _until(daemon, lambda states: [*states.values()] == ["False", "True", "True"])
        about = daemon.get("/v1/clusters/c-00")
        time.sleep(3)
        jobs = [one for one in daemon.get("/v1/jobs")["jobs"] if one["cluster"] == "c-00"]
        statuses = {one["type"]: one["status"] for one in about["conditions"]}
        hook.unlink()
        _until(daemon, lambda states: set(states.values()) == {"True"})

    assert len(jobs) == 1
    assert about["error"]["reasons"]
    assert statuses == {"Compiled": "True", "Pushed": "False", "Synced": "False"}


def test_change_above_the_grade_of_the_stage_is_held(fleet: Fleet, tmp_path: Path) -> None:
    _keep(fleet, NAMES[:1])
    _set_stages(fleet, {"all": {"max-grade": "none"}})
    volume = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": "data"}}
    make = f"{{ out: {{ a: 1 }}, claim: {json.dumps(volume)} }}"
    component = fleet.repository("component-web")
    commit_to(component, {"component/main.jsonnet": make})
    options = ("--reconcile", "1")
    with serving(fleet.work, fleet.root / "facts", *options, home=tmp_path) as daemon:
        _until(daemon, lambda states: states == {"c-00": "True"})
        commit_to(component, {"component/main.jsonnet": "{ out: { a: 1 } }"})
        _until(daemon, lambda _: _condition(daemon, "Pushed") == ("False", "Held"))

    assert _commits(fleet)["c-00"] == 2


def test_later_stage_waits_until_the_one_before_is_healthy(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keep(fleet, NAMES[:3])
    _set_stages(fleet, {"canary": {"facts": {"stage": "test"}, "wait": 60}})
    file = fleet.root / "facts" / "clusters" / "c-00.yaml"
    facts = yaml.safe_load(file.read_text())
    facts["facts"]["stage"] = "test"
    file.write_text(yaml.safe_dump(facts))
    with kubernetes.serve() as cluster:
        config = kubernetes.kubeconfig_of(cluster.url)
        (tmp_path / "kubeconfig").write_text(
            config.replace('"name": "test", "con', '"name": "c-00", "con')
        )
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        options = ("--reconcile", "1")
        with serving(fleet.work, fleet.root / "facts", *options, home=tmp_path) as daemon:
            _until(daemon, lambda states: [*states.values()] == ["True", "False", "False"])
            _until(daemon, lambda _: _condition(daemon, "Synced", "c-01") == ("False", "Waiting"))
            assert [_commits(fleet)[name] for name in NAMES[:3]] == [2, 1, 1]

            manifests = fleet.work / "clusters" / "c-00" / "catalog" / "manifests"
            for manifest in manifests.rglob("*.yaml"):
                content = yaml.safe_load(manifest.read_text())
                content["metadata"]["namespace"] = "default"
                cluster.put(content)
            _until(daemon, lambda states: set(states.values()) == {"True"})

    assert [_commits(fleet)[name] for name in NAMES[:3]] == [2, 2, 2]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature-256": "sha256=" + "0" * 64},
        {"X-Gitlab-Token": "another"},
        {"X-Hub-Signature-256": ""},
    ],
)
def test_forged_webhook_is_refused(daemon: Daemon, headers: dict[str, str]) -> None:
    answer = requests.post(f"{daemon.url}/v1/hooks/git", json={}, headers=headers, timeout=10)

    assert answer.status_code == 403


def test_webhook_of_gitlab_names_the_clusters(fleet: Fleet, tmp_path: Path) -> None:
    _keep(fleet, NAMES[:2])
    options = ("--reconcile",)
    with serving(fleet.work, fleet.root / "facts", *options, home=tmp_path) as daemon:
        _until(daemon, lambda states: set(states.values()) == {"True"} and len(states) == 2)
        body = {"project": {"git_http_url": url_of(fleet.repository("c-01"))}}
        own = {"X-Gitlab-Token": SECRET}
        answer = requests.post(f"{daemon.url}/v1/hooks/git", json=body, headers=own, timeout=10)
        damaged = requests.post(f"{daemon.url}/v1/hooks/git", data="{", headers=own, timeout=10)

    assert (answer.status_code, answer.json()["clusters"]) == (202, ["c-01"])
    assert damaged.status_code == 400


def _set_stages(fleet: Fleet, stages: dict[str, Any]) -> None:
    content = yaml.safe_load(git(fleet.repository("global"), "show", "HEAD:commodore.yml"))
    content["parameters"]["commodore"] = {"fleet": {"stages": stages}}
    fleet.configure(content, repository="global")


def _keep(fleet: Fleet, names: list[str]) -> None:
    for file in (fleet.root / "facts" / "clusters").iterdir():
        if file.stem not in names:
            file.unlink()


def _hook(daemon: Daemon, url: str) -> requests.Response:
    body = json.dumps({"repository": {"clone_url": url}}).encode()
    signature = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
    headers = {"X-Hub-Signature-256": f"sha256={signature}"}
    return requests.post(f"{daemon.url}/v1/hooks/git", data=body, headers=headers, timeout=30)


def _commits(fleet: Fleet) -> dict[str, int]:
    return {name: int(git(fleet.repository(name), "rev-list", "--count", "HEAD")) for name in NAMES}


def _condition(daemon: Daemon, kind: str, cluster: str = "c-00") -> tuple[str, str]:
    conditions = daemon.get(f"/v1/clusters/{cluster}")["conditions"]
    return next((one["status"], one["reason"]) for one in conditions if one["type"] == kind)


def _until(daemon: Daemon, holds: Callable[[dict[str, str]], Any]) -> None:
    """Wait for a state of the condition Synced of all clusters."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        states = {
            one["id"]: condition["status"]
            for one in daemon.get("/v1/clusters")["clusters"]
            for condition in one["conditions"]
            if condition["type"] == "Synced"
        }
        if holds(states):
            return
        time.sleep(0.3)
    raise AssertionError((daemon.get("/v1/clusters"), daemon.lines))
