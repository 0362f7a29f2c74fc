"""Many clusters in one run: side by side, in stages, with changes shown once."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet
from tests.support.servers import git_http

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

NAMES = (CLUSTER, "c-two", "c-three")


class Clusters:
    """Three clusters with one configuration; each has a fact `stage` and a catalog."""

    def __init__(self, commodore: CommandLine, fleet: Fleet) -> None:
        self._commodore, self.fleet = commodore, fleet
        facts = fleet.root / "facts/clusters"
        content = yaml.safe_load((facts / f"{CLUSTER}.yaml").read_text())
        for name, stage in zip(NAMES, ("test", "production", "production"), strict=True):
            make_repository(fleet.repository(f"catalog-{name}"), {})
            url = url_of(fleet.repository(f"catalog-{name}"))
            of_stage = {**content["facts"], "stage": stage}
            own = {"id": name, "facts": of_stage, "gitRepo": {"url": url}}
            (facts / f"{name}.yaml").write_text(yaml.safe_dump({**content, **own}))

    def __call__(self, *words: str, stdin: str = "", **variables: str) -> Ran:
        where = ("-d", str(self.fleet.work), "catalog", "compile")
        facts = ("--api-url", str(self.fleet.root / "facts"))
        # What is not about processes needs none: their start takes longer than the compiles.
        alone = () if {"--jobs", "--scheduler"} & {*words} else ("--jobs", "1")
        return self._commodore(*where, *words, *alone, *facts, stdin=stdin, **variables)

    def results(self, *words: str) -> tuple[int, dict[str, str]]:
        """The exit code, and the result of each cluster."""
        ran = self(*words, "-o", "json")
        found = json.loads(ran.out)["clusters"]
        return ran.code, {one["cluster"]: one["result"] for one in found}

    def commits(self, name: str) -> int:
        """How often something was pushed to the catalog of a cluster."""
        catalog = self.fleet.repository(f"catalog-{name}")
        # The first push of a catalog also makes its first commit, which is empty.
        return max(int(git(catalog, "rev-list", "--count", "--all")) - 1, 0)

    def set_stages(self, stages: object) -> None:
        """Write stages into the global configuration."""
        file = self.fleet.repository("global")
        content = yaml.safe_load(git(file, "show", "HEAD:commodore.yml"))
        content["parameters"]["commodore"] = {"fleet": {"stages": stages}}
        self.fleet.configure(content, repository="global")

    def set_data(self, **data: Any) -> None:  # noqa: ANN401 - any value
        """Change what the component compiles to, for all clusters."""
        self.fleet.configure({"applications": ["one"], "parameters": {"one": {"data": data}}})


@pytest.fixture
def clusters(commodore: CommandLine, tmp_path: Path) -> Clusters:
    return Clusters(commodore, make_fleet(tmp_path / "fleet", one={}))


@pytest.mark.parametrize("jobs", ["1", "2", "0"])
def test_number_of_jobs_does_not_change_result(clusters: Clusters, jobs: str) -> None:
    code, results = clusters.results("--all", "--push", "--jobs", jobs)

    assert (code, results) == (0, dict.fromkeys(sorted(NAMES), "pushed"))
    assert [clusters.commits(name) for name in NAMES] == [1, 1, 1]


def test_common_changes_are_shown_once(clusters: Clusters) -> None:
    clusters("--all", "--push")
    clusters.set_data(of="new")

    ran = clusters("--all")

    assert ran.out.count("data.of: one -> new in 3 objects (3 ConfigMap) of 3 clusters") == 1
    assert [line.split()[:6] for line in ran.out.splitlines()[-3:]] == [
        [name, "changed", "0", "1", "0", "none"] for name in sorted(NAMES)
    ]


def test_changes_of_one_cluster_are_shown_with_it(clusters: Clusters) -> None:
    clusters("--all", "--push")
    component = clusters.fleet.repository("component-one")
    text = git(component, "show", "HEAD:component/main.jsonnet")
    patched = text.replace("data: data", "data: data { [inv.parameters.facts.stage]: 'x' }")
    commit_to(component, {"component/main.jsonnet": patched})

    ran = clusters("--all", "-o", "markdown")

    assert "## Changes in several clusters" in ran.out
    assert "+ data.production: x in 2 objects (2 ConfigMap) of 2 clusters" in ran.out
    own = ran.out.partition(f"## Changes in {CLUSTER} only")[2]
    assert "data.test" in own.partition("## Summary")[0]


def test_stages_are_compiled_in_order(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}}, "rest": None})

    ran = clusters("--all", "--push")

    assert ran.code == 0
    assert ran.err.index("Stage canary (1 of 3 clusters)") < ran.err.index("Stage rest (2 of 3")
    assert ran.err.index(f"{CLUSTER}: pushed") < ran.err.index("c-two: pushed")
    assert [line.split()[-1] for line in ran.out.splitlines()[-3:]] == ["canary", "rest", "rest"]


def test_failed_stage_ends_rollout(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}}})
    hook = clusters.fleet.repository(f"catalog-{CLUSTER}") / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)

    code, results = clusters.results("--all", "--push")
    hook.unlink()
    again = clusters.results("--all", "--push")

    assert code == 1
    assert results == {CLUSTER: "failed", "c-three": "skipped", "c-two": "skipped"}
    assert again == (0, dict.fromkeys(sorted(NAMES), "pushed"))


def test_change_above_grade_of_stage_is_not_pushed(clusters: Clusters) -> None:
    clusters("--all", "--push")
    clusters.set_stages({"canary": {"facts": {"stage": "test"}, "max-grade": "none"}})
    component = clusters.fleet.repository("component-one")
    text = git(component, "show", "HEAD:component/main.jsonnet")
    commit_to(component, {"component/main.jsonnet": text.replace("'ConfigMap'", "'Namespace'")})
    assert clusters("--all", "--push").code == 0
    commit_to(component, {"component/main.jsonnet": text})

    code, results = clusters.results("--all", "--push")

    assert code == 1
    assert results == {CLUSTER: "held", "c-three": "skipped", "c-two": "skipped"}
    assert [clusters.commits(name) for name in NAMES] == [2, 2, 2]


def test_stages_do_not_apply_without_push(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}, "max-grade": "none"}})

    ran = clusters("--all")

    assert ran.code == 0
    assert "Stage" not in ran.err


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ("x", "parameters.commodore.fleet.stages is not a mapping"),
        ({"a": []}, "stage a is not a mapping"),
        ({"a": {"fact": {}}}, "stage a has an unknown key fact; known are facts, max-grade, wait"),
        ({"a": {"facts": ["x"]}}, "stage a: facts are names and values"),
        ({"a": {"max-grade": "all"}}, "stage a: max-grade is one of data-loss, recreate, outage"),
        ({"a": {"wait": "1m"}}, "stage a: wait is a number of seconds"),
        ({"a": {"wait": 10**310}}, "stage a: wait is a number of seconds"),
        ({"a": {"facts": {"lab": None}}}, "stage a: facts are names and values"),
        ({"others": None}, "the name others is that of clusters without a stage"),
        ({1: None, "1": None}, "two stages have one name"),
        ({"a": {"facts": {"stage": "tset"}}}, "no cluster belongs to stage a"),
    ],
)
def test_wrong_stages_are_refused(clusters: Clusters, stages: object, message: str) -> None:
    clusters.set_stages(stages)

    ran = clusters("--all", "--push")

    assert ran.code == 1
    assert message in ran.err
    assert "commodore.yml:" in ran.err or "stage: tset" in ran.err
    assert clusters.commits(CLUSTER) == 0


def test_remotes_are_listed_once_by_all_processes(clusters: Clusters) -> None:
    fleet = clusters.fleet
    with git_http.serve(fleet.root / "repos") as server:
        text = git(fleet.repository("global"), "show", "HEAD:commodore.yml")
        url = url_of(fleet.repository("component-one"))
        content = yaml.safe_load(text.replace(url, server.url("component-one.git")))
        fleet.configure(content, repository="global")
        tenant = fleet.root / f"facts/tenants/{TENANT}.yaml"
        facts = yaml.safe_load(tenant.read_text())
        facts["globalGitRepoURL"] = server.url("global.git")
        facts["gitRepo"]["url"] = server.url("tenant.git")
        tenant.write_text(yaml.safe_dump(facts))

        assert clusters("--all", "--jobs", "3").code == 0
        first = Counter(line for line in server.behaviour.received if "info/refs" in line)
        server.behaviour.received.clear()
        assert clusters("--all", "--jobs", "3").code == 0
        again = Counter(line for line in server.behaviour.received if "info/refs" in line)

    # Listed once, and fetched once into the mirror.
    assert set(first.values()) == {2}
    assert len(first) == 3
    assert again == dict.fromkeys(first, 1)


def test_killed_worker_fails_only_its_cluster(clusters: Clusters) -> None:
    hook = clusters.fleet.repository("catalog-c-two") / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!{sys.executable}\n"
        "import os, signal\n"
        "process = os.getppid()\n"
        "while True:\n"
        "    name, above = '', 0\n"
        "    for line in open(f'/proc/{process}/status'):\n"
        "        key, _, value = line.partition(':')\n"
        "        name = value.strip() if key == 'Name' else name\n"
        "        above = int(value) if key == 'PPid' else above\n"
        "    if not name.startswith(('git', 'sh')):\n"
        "        break\n"
        "    process = above\n"
        "os.kill(process, signal.SIGKILL)\n"
        "raise SystemExit(1)\n"
    )
    hook.chmod(0o755)

    ran = clusters("--all", "--push", "--jobs", "2")

    assert ran.code == 1
    assert "error: the worker that compiled c-two was lost" in ran.err
    assert (clusters.commits(CLUSTER), clusters.commits("c-three")) == (1, 1)


def test_unreachable_scheduler_is_an_error(clusters: Clusters) -> None:
    pytest.importorskip("distributed")

    ran = clusters("--all", "--scheduler", "tcp://127.0.0.1:1")

    assert ran.code == 1
    assert "error: the Dask scheduler cannot be reached" in ran.err
    assert "dask worker" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--all", "--scheduler", "x", "--local"), "--scheduler requires network access"),
        (("--all", "--scheduler", "x", "-i", "--push"), "--interactive and --scheduler"),
        (("--all", "--jobs", "-1"), "-1 is not in the range"),
    ],
)
def test_contradictions_are_refused(
    clusters: Clusters, words: tuple[str, ...], message: str
) -> None:
    ran = clusters(*words)

    assert (ran.code, message in ran.err) == (2, True)


def test_stage_is_not_waited_for_without_kubeconfig(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}, "wait": 60}})

    ran = clusters("--all", "--push")

    assert ran.code == 0
    assert "warning: stage canary is to be waited for, but there is no kubeconfig" in ran.err


def test_unhealthy_stage_ends_rollout(clusters: Clusters, tmp_path: Path) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}, "wait": 1}})
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "{contexts: [{name: c-one, context: {cluster: a, user: b}}],"
        " clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}], users: [{name: b}]}"
    )

    ran = clusters("--all", "--push", KUBECONFIG=str(kubeconfig))

    assert ran.code == 1
    assert "error: the rollout ends with stage canary: c-one is not healthy: " in ran.err
    assert [clusters.commits(name) for name in NAMES] == [1, 0, 0]


def test_longest_clusters_come_first(clusters: Clusters) -> None:
    clusters("--all")
    for name, seconds in zip(NAMES, ("2.0", "9.0", "5.0"), strict=True):
        (clusters.fleet.work / f"clusters/{name}/.commodore/compile-seconds").write_text(seconds)

    ran = clusters("--all", "--jobs", "1")

    headings = [line.split()[1] for line in ran.err.splitlines() if line.startswith("Cluster ")]
    assert headings == ["c-two", "c-three", CLUSTER]
    assert [line.split()[0] for line in ran.out.splitlines()[-3:]] == sorted(NAMES)


def test_facts_of_other_types_select_clusters(clusters: Clusters) -> None:
    file = clusters.fleet.root / "facts/clusters/c-two.yaml"
    content = yaml.safe_load(file.read_text())
    content["facts"]["lab"] = "true"
    file.write_text(yaml.safe_dump(content))
    clusters.set_stages({"lab": {"facts": {"lab": True}}})

    ran = clusters("--all", "--push")

    assert ran.code == 0
    assert ran.err.index("c-two: pushed") < ran.err.index("Stage others (2 of 3 clusters)")


def test_refused_prompt_ends_rollout(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}}})

    ran = clusters("--all", "--push", "-i", stdin="n\ny\ny\n")

    assert ran.code == 1
    assert "the rollout ends with stage canary: c-one was not rolled out" in ran.err
    assert [clusters.commits(name) for name in NAMES] == [0, 0, 0]


def test_failed_report_does_not_end_rollout(clusters: Clusters) -> None:
    clusters.set_stages({"canary": {"facts": {"stage": "test"}}})
    (clusters.fleet.root / "facts/reports").write_text("")

    code, results = clusters.results("--all", "--push")

    assert (code, results) == (4, dict.fromkeys(sorted(NAMES), "not reported"))


def test_lock_of_each_cluster_is_used(clusters: Clusters, commodore: CommandLine) -> None:
    work = clusters.fleet.work
    facts = ("--api-url", str(clusters.fleet.root / "facts"))
    (work / "locks").mkdir(parents=True)
    for name in NAMES:
        lock = ("--lock", str(work / f"locks/{name}.lock"))
        ran = commodore("-d", str(work), "lock", "create", name, *lock, *facts)
        assert ran.code == 0, ran.err
    clusters.set_data(of="new")

    ran = clusters("--all", "--frozen")

    assert ran.code == 0, ran.err
    for name in NAMES:
        assert "of: one" in (work / f"clusters/{name}/compiled/one/one/out.yaml").read_text()
