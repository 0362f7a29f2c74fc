"""Whatever is done between runs: who says that there is nothing to do is right."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git
from tests.support.scenarios.reruns import Reruns, make_reruns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOCAL = {"local": True, "fetch_dependencies": False}
STEPS = 10
WEB = "dependencies/web/component"


def nothing(_: Reruns, __: random.Random) -> None:
    """As most of the time."""


def commit(reruns: Reruns, chance: random.Random) -> None:
    name = chance.choice(["component-web", "component-db-one"])
    content = f"{{ out: {{ of: '{chance.randrange(3)}' }} }}"
    commit_to(reruns.fleet.repository(name), {"component/main.jsonnet": content})


def configure(reruns: Reruns, chance: random.Random) -> None:
    values = {"web": {"data": {"of": chance.choice(["a", "b"])}}}
    reruns.fleet.configure({"applications": ["web", "db-one"], "parameters": values})


def branch(reruns: Reruns, chance: random.Random) -> None:
    name = chance.choice(["component-web", "tenant", "catalog"])
    if (reruns.fleet.repository(name) / "refs/heads/master").exists():
        git(reruns.fleet.repository(name), "branch", "--force", "other", "master")


def edit(reruns: Reruns, chance: random.Random) -> None:
    """Any file that a run leaves, with or without its old times."""
    path = a_file(reruns, chance)
    before = path.stat()
    path.write_bytes(path.read_bytes() + chance.choice([b"\n", b"# \n", b""]))
    if chance.random() < 0.5:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def delete(reruns: Reruns, chance: random.Random) -> None:
    a_file(reruns, chance).unlink()


def make_again(reruns: Reruns, chance: random.Random) -> None:
    path = a_file(reruns, chance)
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)


def change_mode(reruns: Reruns, chance: random.Random) -> None:
    path = a_file(reruns, chance)
    path.chmod(path.stat().st_mode ^ 0o110)


def look_on(reruns: Reruns, _: random.Random) -> None:
    """What people and their tools do all the time."""
    git(reruns.work / "catalog", "status")
    git(reruns.work / "dependencies/web", "status")


def stage(reruns: Reruns, _: random.Random) -> None:
    git(reruns.work / "catalog", "reset", "--quiet")


def a_file(reruns: Reruns, chance: random.Random) -> Path:
    """One of the files that are written by every run, and not needed by the next one."""
    places = ("compiled", "catalog/manifests", "inventory/targets")
    found = [
        path
        for place in places
        for path in sorted((reruns.work / place).rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != "cluster.yml"
    ]
    return chance.choice(found)


def edit_source(reruns: Reruns, chance: random.Random) -> None:
    path = reruns.work / WEB / "main.jsonnet"
    path.write_text(f"{{ out: {{ of: '{chance.randrange(3)}' }} }}")


def swap_link(reruns: Reruns, chance: random.Random) -> None:
    path, target = reruns.work / WEB / "linked.json", chance.choice(["names.json", "other.json"])
    path.unlink(missing_ok=True)
    path.symlink_to(target)


ANYWHERE = [nothing, nothing, edit, delete, make_again, change_mode, look_on, stage]
ONLINE = [*ANYWHERE, commit, configure, branch]
OFFLINE = [*ANYWHERE, edit_source, swap_link]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("settings", "steps"), [({}, ONLINE), (LOCAL, OFFLINE)], ids=["online", "local"]
)
def test_a_run_that_rests_leaves_what_a_full_run_leaves(
    tmp_path: Path,
    settings: dict[str, Any],
    steps: list[Callable[[Reruns, random.Random], None]],
    seed: int,
) -> None:
    reruns, chance = make_reruns(tmp_path, **settings), random.Random(seed)  # noqa: S311 - to be repeated
    reruns.run()
    rested = 0

    for number in range(STEPS):
        step = chance.choice(steps)
        step(reruns, chance)
        try:
            ran = reruns.run()
        except CommodoreError:
            ran = reruns.run(force=True)
        if ran.rested:
            rested += 1
            again = reruns.run()  # by what that one noted
            assert (again.rested, again.shown) == (True, ran.shown), (number, step)
            reruns.forget()
            full = reruns.run()
            assert ran.state == full.state, (number, step)
            assert ran.shown == full.shown, (number, step)
            assert ran.warnings == full.warnings, (number, step)

    assert rested
