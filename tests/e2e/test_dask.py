"""Clusters that are compiled by workers of a real Dask scheduler, some of which are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import git, make_repository, url_of
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.e2e

PROGRAM = Path(sys.executable).with_name("commodore")
NAMES = (CLUSTER, "c-two", "c-three", "c-four")
PATIENCE = 120


def start(stack: ExitStack, folder: Path, *words: str) -> None:
    """Start a process of Dask that ends with the test."""
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}
    folder.mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, env=environment, stdout=log, stderr=log, cwd=folder)
    stack.callback(process.wait)
    stack.callback(process.terminate)


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with two workers, each with caches of its own."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    words = ("--no-dashboard", "--scheduler-file", str(file))
    with ExitStack() as stack:
        scheduler = (sys.executable, "-m", "distributed.cli.dask_scheduler")
        start(stack, tmp_path / "s", *scheduler, "--host", "127.0.0.1", "--port", "0", *words)
        wait_for(lambda: file.is_file() and file.read_text().rstrip().endswith("}"))
        address = str(json.loads(file.read_text())["address"])
        for name in ("a", "b"):
            worker = (sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1")
            start(stack, tmp_path / name, *worker, *words, "--name", name)
        logs = [tmp_path / name / "log" for name in ("a", "b")]
        wait_for(lambda: all("Registered to" in log.read_text() for log in logs))
        yield address


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Four clusters, each with its own catalog."""
    fleet = make_fleet(tmp_path / "fleet", one={})
    facts = fleet.root / "facts/clusters"
    content = yaml.safe_load((facts / f"{CLUSTER}.yaml").read_text())
    for name in NAMES:
        make_repository(fleet.repository(f"catalog-{name}"), {})
        url = url_of(fleet.repository(f"catalog-{name}"))
        own = {**content, "id": name, "gitRepo": {"url": url}}
        (facts / f"{name}.yaml").write_text(yaml.safe_dump(own))
    return fleet


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def compiling(fleet: Fleet, address: str) -> subprocess.Popen[str]:
    """A compile of all clusters by the workers."""
    words = ("-d", str(fleet.work), "catalog", "compile", "--all", "--push", "-o", "json")
    facts = ("--api-url", str(fleet.root / "facts"), "--scheduler", address)
    return subprocess.Popen(
        [PROGRAM, *words, *facts], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def commits(fleet: Fleet, name: str) -> list[str]:
    """The messages of what was pushed to a catalog, but for its first commit."""
    catalog = fleet.repository(f"catalog-{name}")
    return git(catalog, "log", "--format=%s", "--all").splitlines()[:-1]


def test_killed_workers_lose_and_repeat_nothing(fleet: Fleet, dask: str) -> None:
    """Two pushes end with the worker that makes them, and only once for each cluster."""
    marks = fleet.root / "marks"
    marks.mkdir()
    for name in NAMES[:2]:
        hook = fleet.repository(f"catalog-{name}") / "hooks/pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f"#!/bin/sh\n[ -e {marks}/{name} ] && exit 0\n"
            f"echo $PPID > {marks}/{name}.new; mv {marks}/{name}.new {marks}/{name}\nsleep 5\n"
        )
        hook.chmod(0o755)

    running = compiling(fleet, dask)
    for name in NAMES[:2]:
        wait_for((marks / name).is_file)
        os.kill(worker_above(int((marks / name).read_text())), signal.SIGKILL)
    out, err = running.communicate(timeout=PATIENCE)

    assert running.returncode == 0, err
    assert {one["result"] for one in json.loads(out)["clusters"]} <= {"pushed", "unchanged"}
    for name in NAMES:
        assert len(commits(fleet, name)) == 1, (name, err)
        manifest = git(fleet.repository(f"catalog-{name}"), "show", "HEAD:manifests/one/out.yaml")
        assert "of: one" in manifest


def worker_above(process: int) -> int:
    """The process that has started git, of which a process is a descendant."""
    while True:
        status = Path(f"/proc/{process}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if not fields["Name"].startswith(("git", "sh")):
            return process
        process = int(fields["PPid"])
