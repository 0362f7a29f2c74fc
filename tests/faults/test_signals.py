"""Signals at random moments: an end within moments, no traceback, no program and no rest left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import write_if_changed
from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to
from tests.support.scenarios.interrupted_runs import Ended, end, start
from tests.support.scenarios.killed_compiles import CLUSTER, leftovers, pushed_tree
from tests.support.servers import misbehaving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "6"))
_LONG = 8
"""Seconds: it is to be one, on a machine that has nothing else to do."""
_ENDS = {signal.SIGINT: 130, signal.SIGTERM: -15, signal.SIGHUP: -1}
COMPILE = ["catalog", "compile", CLUSTER, "--push"]
VARIABLES = {"COMMODORE_API_URL": "./facts"}


def check(ended: Ended, what: signal.Signals) -> None:
    assert "Traceback" not in ended.output, ended.output
    assert ended.left == ()
    if not ended.in_time or ended.code == 0:
        return
    assert ended.code == _ENDS[what], ended.output
    assert ended.seconds < _LONG


class World:
    """The demo before a run, to be brought back for every round."""

    def __init__(self, folder: Path, *, second: bool) -> None:
        self.demo, self._kept = folder / "demo", folder / "kept"
        self._cache = folder / "cache"
        self.variables = {**VARIABLES, "XDG_CACHE_HOME": str(self._cache)}
        write_demo(self.demo)
        if second:
            self.run()
            commit_to(self.demo / "repos/component-web-shop.git", {"component/x.txt": "changed"})
            commit_to(self.demo / "repos/global.git", {"extra.yml": "parameters: {}\n"})
        self._cache.mkdir(exist_ok=True)
        shutil.copytree(self.demo, self._kept / "demo", symlinks=True)
        shutil.copytree(self._cache, self._kept / "cache", symlinks=True)
        began = time.monotonic()
        self.run()
        self.seconds = time.monotonic() - began
        self.expected = pushed_tree(self.demo)

    def restore(self) -> None:
        for place in (self.demo, self._cache):
            shutil.rmtree(place)
            shutil.copytree(self._kept / place.name, place, symlinks=True)

    def run(self) -> None:
        process = start(COMPILE, self.demo, self.variables)
        _, output = process.communicate()
        assert process.returncode == 0, output.decode()

    def rest(self) -> list[str]:
        found = [str(path) for path in self._cache.rglob("*") if path.name.endswith(".new")]
        return [*found, *map(str, leftovers(self.demo))]


@pytest.mark.parametrize("second", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("what", [*_ENDS, signal.SIGKILL], ids=lambda one: one.name)
def test_ended_compile_is_repeated_without_traces(
    tmp_path: Path, what: signal.Signals, second: bool
) -> None:
    world = World(tmp_path, second=second)
    chance = random.Random(f"{what} {second}")  # noqa: S311 - moments are not secrets
    hits = 0

    for _ in range(ROUNDS):
        world.restore()
        moment = chance.uniform(0, max(world.seconds, 0.3))
        ended = end(start(COMPILE, world.demo, world.variables), what, after=moment)
        hits += ended.in_time
        if what != signal.SIGKILL:
            check(ended, what)
        world.run()
        assert pushed_tree(world.demo) == world.expected, f"after {moment}"
        assert world.rest() == [], f"after {moment}"

    assert hits >= ROUNDS // 3


@pytest.mark.parametrize("what", _ENDS, ids=lambda one: one.name)
def test_signal_during_imports_prints_no_traceback(tmp_path: Path, what: signal.Signals) -> None:
    world = World(tmp_path, second=False)
    chance = random.Random(str(what))  # noqa: S311 - as above

    for _ in range(ROUNDS * 2):
        moment = chance.uniform(0, 0.4)
        words = chance.choice([COMPILE, ["catalog", "list"], ["component", "--help"], ["doctor"]])
        ended = end(start(words, world.demo, world.variables), what, after=moment)
        if ended.code == -what and not ended.output and not ended.left:
            continue  # before Python itself was ready
        check(ended, what)


WAITING = {
    "a silent API": (misbehaving.silent_after_request, "http", "api"),
    "an API that drips": (misbehaving.drips_content, "http", "api"),
    "a silent Git remote": (misbehaving.silent_after_request, "http", "git"),
    "a Git remote that drips": (misbehaving.drips_content, "http", "git"),
    "a Git remote that does not even speak TLS": (misbehaving.silent, "https", "git"),
    "a silent git:// remote": (misbehaving.silent, "git", "git"),
    "a silent SSH remote": (misbehaving.silent, "ssh", "git"),
}


@pytest.mark.parametrize("what", _ENDS, ids=lambda one: one.name)
@pytest.mark.parametrize("where", WAITING)
@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
def test_waiting_run_ends_at_once_on_signal(
    tmp_path: Path, where: str, what: signal.Signals, group: bool
) -> None:
    behave, scheme, kind = WAITING[where]
    with misbehaving.serve(behave) as server:
        words, variables = waiting_for(tmp_path, f"{scheme}://{server.host}", kind)
        process = start(words, tmp_path, variables)
        ended = end(process, what, after=lambda: server.connections > 0, group=group)

    assert ended.in_time
    check(ended, what)


def waiting_for(folder: Path, url: str, kind: str) -> tuple[list[str], dict[str, str]]:
    """A command that waits for an API or a Git remote for a long time."""
    patience = {
        "COMMODORE_REQUEST_TIMEOUT": "300",
        "GIT_ALLOW_PROTOCOL": "http:https:git:ssh",
        "GIT_SSH_COMMAND": "ssh -F none -o StrictHostKeyChecking=no",
        "COMMODORE_API_TOKEN": "abc",
    }
    if kind == "api":
        return ["catalog", "compile", "c-one", "--api-url", url], patience
    facts = folder / "facts"
    write_if_changed(
        facts / "clusters/c-one.yaml",
        f"id: c-one\ntenant: t-one\ngitRepo: {{url: '{url}/catalog.git'}}\n"
        "facts: {cloud: x, distribution: y}\n".encode(),
    )
    write_if_changed(
        facts / "tenants/t-one.yaml",
        f"id: t-one\ngitRepo: {{url: '{url}/tenant.git'}}\n"
        f"globalGitRepoURL: '{url}/global.git'\n".encode(),
    )
    return ["catalog", "compile", "c-one", "--api-url", str(facts)], patience
