"""Compiles of several clusters: requests, lost processes, and interruptions."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import git, make_repository, url_of
from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet
from tests.support.servers import git_http

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

PROGRAM = Path(sys.executable).with_name("commodore")
NAMES = (CLUSTER, "c-two", "c-three")


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Three clusters with one configuration; each has a catalog."""
    fleet = make_fleet(tmp_path / "fleet", one={})
    facts = fleet.root / "facts/clusters"
    content = yaml.safe_load((facts / f"{CLUSTER}.yaml").read_text())
    for name in NAMES:
        catalog = make_repository(fleet.repository(f"catalog-{name}"), {})
        changed = {**content, "id": name, "gitRepo": {"url": url_of(catalog)}}
        (facts / f"{name}.yaml").write_text(yaml.safe_dump(changed))
    return fleet


def compile_all(fleet: Fleet, *options: str) -> tuple[str, ...]:
    return compile_these(fleet, "--all", *options)


def compile_these(fleet: Fleet, *words: str) -> tuple[str, ...]:
    work, facts = str(fleet.work), str(fleet.root / "facts")
    return ("-d", work, "catalog", "compile", "--api-url", facts, *words)


def add_hook(fleet: Fleet, catalog: str, script: str) -> None:
    """Let a script run in the middle of each push to a catalog."""
    hook = fleet.repository(catalog) / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!{sys.executable}\n{script}")
    hook.chmod(0o755)


def was_pushed(fleet: Fleet, name: str) -> bool:
    return bool(git(fleet.repository(f"catalog-{name}"), "for-each-ref"))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.long
def test_remotes_are_listed_once_by_all_processes(
    commodore: CommandLine, fleet: Fleet, jobs: str
) -> None:
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
        words = compile_these(fleet, *NAMES[:2], "--jobs", jobs)

        assert commodore(*words).code == 0
        first = Counter(line for line in server.behaviour.received if "info/refs" in line)
        server.behaviour.received.clear()
        assert commodore(*words).code == 0
        again = Counter(line for line in server.behaviour.received if "info/refs" in line)

    # Listed once, and fetched once into the mirror.
    assert set(first.values()) == {2}
    assert len(first) == 3
    assert again == dict.fromkeys(first, 1)


def test_killed_worker_fails_only_its_cluster(commodore: CommandLine, fleet: Fleet) -> None:
    add_hook(
        fleet,
        "catalog-c-two",
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
        "raise SystemExit(1)\n",
    )

    ran = commodore(*compile_all(fleet, "--push", "--jobs", "2"))

    assert ran.code == 1
    assert "error: the worker that compiled c-two was lost" in ran.err
    assert was_pushed(fleet, CLUSTER)
    assert was_pushed(fleet, "c-three")


def test_unreachable_scheduler_is_an_error(
    commodore: CommandLine, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("commodore_py.adapters.executors._SECONDS", 1.0)

    ran = commodore(*compile_all(fleet, "--scheduler", "tcp://127.0.0.1:1"))

    assert ran.code == 1
    assert "error: the Dask scheduler cannot be reached" in ran.err
    assert "dask worker" in ran.err


def test_interrupted_run_reports_finished_clusters(fleet: Fleet) -> None:
    script = f"import time; open('{fleet.root}/waiting', 'w').close(); time.sleep(60)\n"
    add_hook(fleet, "catalog-c-two", script)
    words = compile_all(fleet, "--push", "--jobs", "1")
    running = subprocess.Popen(
        [PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (fleet.root / "waiting").exists():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)

    assert running.returncode == 130, err
    results = [line.split()[:2] for line in out.partition("CLUSTER")[2].splitlines()[1:]]
    assert results == [[CLUSTER, "pushed"], ["c-three", "pushed"], ["c-two", "interrupted"]]
