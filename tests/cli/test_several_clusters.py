"""`catalog compile` of several clusters: each by itself, one table, one exit code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.builders import git, make_repository, url_of
from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet
from tests.support.servers import git_http

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(3)

PROGRAM = Path(sys.executable).with_name("commodore")
SECOND = "c-two"


class Compile:
    """`commodore catalog compile` of a fleet of two clusters, each with its own catalog."""

    def __init__(self, commodore: CommandLine, fleet: Fleet) -> None:
        self._commodore = commodore
        self.fleet = fleet

    def __call__(self, *words: str, stdin: str = "") -> Ran:
        facts = ("--api-url", str(self.fleet.root / "facts"))
        compiling = ("-d", str(self.fleet.work), "catalog", "compile", *words)
        return self._commodore(*compiling, *facts, stdin=stdin)

    def as_json(self, *words: str) -> tuple[int, dict[str, Any]]:
        """The exit code, and the results by cluster."""
        ran = self(*words, "-o", "json")
        found = json.loads(ran.out)
        assert (found["schema"], found["exit_code"]) == ("catalog-compile-clusters/v1", ran.code)
        return ran.code, {one["cluster"]: one for one in found["clusters"]}

    def pushed(self, catalog: str) -> bool:
        """Whether anything was pushed to a catalog."""
        return bool(git(self.fleet.repository(catalog), "for-each-ref"))


def rows(out: str) -> list[list[str]]:
    """The table at the end of stdout: cluster, result, numbers."""
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("CLUSTER"))
    return [line.split()[:5] for line in lines[start + 1 :]]


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their paths in it."""
    found = (one for one in folder.rglob("*") if one.is_file())
    return {str(one.relative_to(folder)): one.read_bytes() for one in found}


@pytest.fixture
def compiling(commodore: CommandLine, tmp_path: Path, empty_home: Path) -> Compile:
    settings = empty_home / ".config/commodore/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[catalog.compile]\njobs = 1\n")  # the start of processes takes longer
    fleet = make_fleet(tmp_path / "fleet", one={}, two={})
    second = fleet.repository("catalog-two")
    make_repository(second, {})
    fleet.a_second_cluster(second)
    return Compile(commodore, fleet)


def test_each_cluster_has_its_own_working_directory(compiling: Compile, tmp_path: Path) -> None:
    ran = compiling(CLUSTER, SECOND)

    assert ran.code == 0
    assert rows(ran.out) == [
        [CLUSTER, "changed", "2", "0", "0"],
        [SECOND, "changed", "2", "0", "0"],
    ]
    assert [one.name for one in compiling.fleet.work.iterdir()] == ["clusters"]
    for cluster in (CLUSTER, SECOND):
        alone = tmp_path / "alone" / cluster
        facts = compiling.fleet.root / "facts"
        words = ["-d", str(alone), "catalog", "compile", cluster, "--api-url", str(facts)]
        subprocess.run([PROGRAM, *words], check=True, capture_output=True)
        own = compiling.fleet.work / "clusters" / cluster
        for part in ("compiled", "catalog/manifests"):
            assert files_in(own / part) == files_in(alone / part)


def test_commands_about_one_of_several_clusters_take_its_id(
    compiling: Compile, commodore: CommandLine
) -> None:
    settings = {"plan": {"serial": ["one", "two"]}, "delivery": {"driver": "plain"}}
    parameters = {"commodore": settings}
    compiling.fleet.configure({"applications": ["one", "two"], "parameters": parameters})
    here = ("-d", str(compiling.fleet.work))
    api = ("--api-url", str(compiling.fleet.root / "facts"))
    before = commodore(*here, "plan", "check", *api, "--cluster", CLUSTER)
    assert compiling(CLUSTER, SECOND).code == 0
    commands = (
        ("plan", "show"),
        ("plan", "check"),
        ("inventory", "explain", "cluster", "cluster.name"),
        ("edit", "get", "cluster.name"),
        ("edit", "set", "one.data", "{of: x}", "--tenant", "--dry-run"),
    )

    for words in commands:
        ran = commodore(*here, *words, "--cluster", SECOND)
        without = commodore(*here, *words)
        other = commodore(*here, *words, "--cluster", "c-three")

        assert ran.code == 0, ran.err
        assert words[0] == "plan" or SECOND in ran.out or "data:" in ran.out
        assert without.code == 2
        assert f"name one with --cluster: {CLUSTER}, {SECOND}" in without.err
        assert other.code == 1
        assert "c-three" in other.err
    assert before.code == 0, before.err
    assert "the plan is valid" in before.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--all"], [CLUSTER, SECOND]),
        (["--tenant", TENANT], [CLUSTER, SECOND]),
        (["--tenant", "t-other"], ["c-three"]),
        ([SECOND, CLUSTER, SECOND], [SECOND, CLUSTER]),
        ([CLUSTER, CLUSTER], [CLUSTER]),
    ],
)
def test_clusters_are_selected(compiling: Compile, words: list[str], expected: list[str]) -> None:
    if expected == ["c-three"]:
        a_cluster_of_another_tenant(compiling.fleet)

    ran = compiling(*words, "--dry-run", "--diff", "none")

    assert ran.code == 0
    assert [row[0] for row in rows(ran.out)] == expected
    assert not (compiling.fleet.work / "clusters").exists()


def a_cluster_of_another_tenant(fleet: Fleet) -> None:
    facts = fleet.root / "facts"
    for kind, old, new in (("clusters", CLUSTER, "c-three"), ("tenants", TENANT, "t-other")):
        content = yaml.safe_load((facts / kind / f"{old}.yaml").read_text())
        content["id"] = new
        if kind == "clusters":
            content["tenant"] = "t-other"
        (facts / kind / f"{new}.yaml").write_text(yaml.safe_dump(content))


def test_failed_cluster_does_not_stop_others(compiling: Compile) -> None:
    ran = compiling("c-unknown", CLUSTER, "../c-out", SECOND, "--push")

    assert ran.code == 1
    assert [row[:2] for row in rows(ran.out)] == [
        ["c-unknown", "failed"],
        [CLUSTER, "pushed"],
        ["../c-out", "failed"],
        [SECOND, "pushed"],
    ]
    assert "error: cluster c-unknown is not known" in ran.err
    assert "error: not a valid cluster id: '../c-out'" in ran.err
    assert compiling.pushed("catalog")
    assert compiling.pushed("catalog-two")
    assert {one.name for one in compiling.fleet.work.iterdir()} == {"clusters"}
    assert {one.name for one in (compiling.fleet.work / "clusters").iterdir()} == {CLUSTER, SECOND}


def test_fail_fast_skips_the_rest(compiling: Compile) -> None:
    ran = compiling("c-unknown", CLUSTER, "--fail-fast", "--push", "--jobs", "1")

    assert ran.code == 1
    assert [row[:2] for row in rows(ran.out)] == [["c-unknown", "failed"], [CLUSTER, "skipped"]]
    assert not compiling.pushed("catalog")


def test_fleet_run_prints_json(compiling: Compile) -> None:
    compiling("--all", "--push")
    compiling.fleet.configure(
        {"applications": ["one"], "parameters": {"one": {"data": {"of": "new"}}}}
    )

    code, found = compiling.as_json(CLUSTER, "c-unknown", "--exit-code", "--diff", "objects")

    assert code == 1
    done, failed = found[CLUSTER], found["c-unknown"]
    assert done["result"] == "changed"
    assert done["exit_code"] == 5
    assert done["objects"] == {"added": 0, "changed": 1, "removed": 1}
    assert done["working_directory"] == str(compiling.fleet.work / "clusters" / CLUSTER)
    compiled = done["compile"]
    assert (compiled["schema"], compiled["cluster"]) == ("catalog-compile/v1", CLUSTER)
    assert compiled["diff"]["changed"]
    (error,) = failed["errors"]
    assert error["message"] == "cluster c-unknown is not known"
    assert "known clusters: c-one, c-two" in error["hint"]
    assert (failed["result"], failed["exit_code"], failed["compile"]) == ("failed", 1, None)


def test_changes_alone_have_the_exit_code_of_changes(compiling: Compile) -> None:
    assert compiling("--all", "--exit-code").code == 5


def test_fleet_run_prints_markdown(compiling: Compile) -> None:
    ran = compiling("--all", "-o", "markdown", "--dry-run")

    headings = [line for line in ran.out.splitlines() if line.startswith("## ")]
    assert headings == ["## Changes in several clusters", "## Summary"]
    assert "| c-two | changed | 2 | 0 | 0 |" in ran.out


def test_offline_fleet_run_compiles_earlier_clusters(compiling: Compile) -> None:
    empty = compiling("--all", "--offline")
    compiling(SECOND, SECOND)

    ran = compiling("--all", "--offline")
    of_tenant = compiling("--tenant", TENANT, "--local")
    missing = compiling("--tenant", "t-none", "--local")

    assert (empty.code, "error: there are no clusters" in empty.err) == (1, True)
    assert (ran.code, [row[0] for row in rows(ran.out)]) == (0, [SECOND])
    assert [row[0] for row in rows(of_tenant.out)] == [SECOND]
    assert "error: no cluster belongs to tenant t-none" in missing.err


def test_damaged_cluster_does_not_stop_those_of_its_tenant(compiling: Compile) -> None:
    compiling("--all")
    folder = compiling.fleet.work / "clusters" / CLUSTER
    (folder / "inventory/classes/params/cluster.yml").write_text("parameters: [")

    ran = compiling("--tenant", TENANT, "--local")

    assert ran.code == 1
    assert [row[:2] for row in rows(ran.out)] == [[CLUSTER, "failed"], [SECOND, "changed"]]
    assert "cluster.yml" in ran.err


def test_plain_folders_are_one_for_each_cluster(compiling: Compile, tmp_path: Path) -> None:
    ran = compiling("--all", "--output-dir", str(tmp_path / "out"))

    assert ran.code == 0
    assert "manifests/one/out.yaml" in files_in(tmp_path / "out" / CLUSTER)
    assert "manifests/one/out.yaml" in files_in(tmp_path / "out" / SECOND)


def test_interactive_prompts_for_each_cluster(compiling: Compile) -> None:
    ran = compiling("--all", "--push", "-i", stdin="n\ny\n")

    assert [row[1] for row in rows(ran.out)] == ["changed", "pushed"]
    assert (compiling.pushed("catalog"), compiling.pushed("catalog-two")) == (False, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Missing argument 'CLUSTER'."),
        ([CLUSTER, "--all"], "error: CLUSTER and --all cannot be combined"),
        (["--all", "--tenant", "t"], "error: --all and --tenant cannot be combined"),
        ([CLUSTER, "--tenant", "t"], "error: CLUSTER and --tenant cannot be combined"),
        (["--all", "--push", "--output-dir", "x"], "error: --output-dir and --push cannot be"),
        (["--all", "--lock", "x.lock"], "hint: --lock 'locks/{cluster}.lock'"),
        (["--all", "--from-export", "."], "error: --from-export is the export of one cluster"),
    ],
)
def test_contradictions_are_refused(compiling: Compile, words: list[str], message: str) -> None:
    ran = compiling(*words)

    assert (ran.code, message in ran.err, ran.out) == (2, True, "")


def test_facts_folder_as_working_directory_is_refused(
    compiling: Compile, commodore: CommandLine
) -> None:
    facts = compiling.fleet.root / "facts"
    before = files_in(facts)

    ran = commodore("-d", str(facts), "catalog", "compile", "--all", "--api-url", str(facts))

    assert ran.code == 2
    assert "error: the working directory is the folder of facts" in ran.err
    assert files_in(facts) == before


def test_single_cluster_is_compiled_in_working_directory(compiling: Compile) -> None:
    ran = compiling(CLUSTER)

    assert ran.out.endswith(f"Catalog of cluster {CLUSTER} compiled\n")
    assert (compiling.fleet.work / "catalog" / "manifests").is_dir()
    assert not (compiling.fleet.work / "clusters").exists()


def test_ineffective_option_warns_only_if_typed(compiling: Compile, empty_home: Path) -> None:
    settings = empty_home / ".config/commodore/config.toml"
    settings.write_text("[catalog.compile]\njobs = 2\n")

    by_file = compiling(CLUSTER, "--dry-run")
    typed = compiling(CLUSTER, "--dry-run", "--jobs", "2")

    assert "no effect" not in by_file.err
    assert "--jobs has no effect with one cluster" in typed.err


def test_each_remote_is_queried_once(compiling: Compile) -> None:
    fleet = compiling.fleet
    with git_http.serve(fleet.root / "repos") as server:
        commodore = (fleet.root / "repos" / "global.git", "commodore.yml")
        served = git(commodore[0], "show", f"HEAD:{commodore[1]}")
        for name in ("one", "two"):
            url = url_of(fleet.repository(f"component-{name}"))
            served = served.replace(url, server.url(f"component-{name}.git"))
        fleet.configure(yaml.safe_load(served), repository="global")
        assert compiling("--all").code == 0
        server.behaviour.received.clear()

        assert compiling("--all", "--no-cache").code == 0

        asked = [line for line in server.behaviour.received if "info/refs" in line]
    assert len([line for line in asked if "component-one" in line]) == 1
    assert len([line for line in asked if "component-two" in line]) == 1


def test_interrupted_fleet_run_reports_finished_clusters(compiling: Compile) -> None:
    fleet = compiling.fleet
    slow = "import time; time.sleep(60)"
    hook = fleet.repository("catalog-two") / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!{sys.executable}\nopen('{fleet.root}/waiting', 'w').close()\n{slow}\n")
    hook.chmod(0o755)
    facts = str(fleet.root / "facts")
    words = ("-d", str(fleet.work), "catalog", "compile", "--all", "--push", "--jobs", "1")
    running = subprocess.Popen(
        [PROGRAM, *words, "--api-url", facts],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (fleet.root / "waiting").exists():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)

    assert running.returncode == 130, err
    assert [row[:2] for row in rows(out)] == [[CLUSTER, "pushed"], [SECOND, "interrupted"]]


@pytest.mark.parametrize("name", ["clusters", f"clusters/{CLUSTER}"])
def test_fleet_run_does_not_follow_linked_folders(
    compiling: Compile, tmp_path: Path, name: str
) -> None:
    outside, link = tmp_path / "outside", compiling.fleet.work / name
    outside.mkdir()
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)

    ran = compiling(CLUSTER, SECOND)

    assert ran.code == 1
    assert "this is a link, but a compile writes below it" in ran.err + ran.out
    assert list(outside.iterdir()) == []


def test_working_dir_option_after_command_is_refused(commodore: CommandLine) -> None:
    ran = commodore("catalog", "compile", "--all", "-d", "work2")

    assert ran.code == 2
    assert "commodore -d work2 catalog compile" in ran.err
