"""Edits that are refused: each names the place of its problem, and no byte is written."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py import pipeline
from commodore_py.adapters.yaml import splice
from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo
from tests.support.builders import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLUSTER = "inventory/classes/t-demo/c-demo-1.yml"
SCHEMA = "dependencies/web-shop/class/defaults.schema.json"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground with a compiled cluster, one of whose components has a schema."""
    folder = tmp_path_factory.mktemp("refusals") / "demo"
    write_demo(folder)
    facts = folder / "facts/clusters/c-demo-1.yaml"
    facts.write_text(facts.read_text().replace("facts:\n", "facts:\n  regions: [east, west]\n", 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        words = ("catalog", "compile", "c-demo-1", "--api-url", str(folder / "facts"))
        assert run(("-d", str(folder), *words)) == 0
    rules = {
        "properties": {
            "ingress_class": {"enum": ["public", "none", "two words"]},
            "region": {"enum": ["nowhere"], "x-commodore-options": "facts.regions"},
        },
    }
    (folder / SCHEMA).write_text(json.dumps(rules))
    return folder


@pytest.fixture
def place(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMMODORE_WORKING_DIR", str(compiled))
    monkeypatch.setenv("COMMODORE_API_URL", str(compiled / "facts"))
    return compiled


def state(place: Path) -> dict[str, bytes]:
    """Every file that an edit may write; Git and our own folder keep logs."""
    own = {".git", ".commodore"}
    return {
        str(file): file.read_bytes()
        for file in sorted(place.rglob("*"))
        if file.is_file() and not own & set(file.parts)
    }


def test_refused_edit_names_values_from_facts_and_writes_nothing(
    commodore: CommandLine, place: Path
) -> None:
    before = state(place)

    ran = commodore("edit", "set", "web_shop.region", "south")

    assert ran.code == 1, ran.out + ran.err
    assert "web_shop.region: south is not one of nowhere, east, west" in ran.err
    assert "legal values: nowhere, east, west" in ran.err
    assert state(place) == before


def test_edit_of_repository_at_tag_warns(commodore: CommandLine, place: Path) -> None:
    tenant = place / "inventory/classes/t-demo"
    git(tenant, "tag", "v7")
    git(tenant, "checkout", "--quiet", "v7")

    ran = commodore("edit", "set", "a", "1", "--dry-run")

    git(tenant, "checkout", "--quiet", "-")
    assert ran.code == 0
    assert "the cluster uses v7 of this repository, and no branch" in ran.err
    assert "commit it on a branch" in ran.err


def test_edit_with_unexpected_change_is_an_internal_error(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = state(place)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    put = splice.put
    monkeypatch.setattr(splice, "put", lambda *words, **more: f"{put(*words, **more)}\nmore: 1\n")

    ran = commodore("edit", "set", "web_shop.replicas", "3")

    assert ran.code == 3
    assert "set of parameters.web_shop.replicas would change something else" in ran.err
    assert [*tmp_path.glob("commodore-*.log")]
    assert state(place) == before


def test_edit_waits_for_another_run(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    holder = (
        "import fcntl, os, sys; file = open(sys.argv[1], 'r+'); fcntl.lockf(file, fcntl.LOCK_EX);"
        "file.truncate(); print(os.getpid(), file=file, flush=True);"
        "print('held', flush=True); sys.stdin.read()"
    )
    clock = itertools.count()
    with subprocess.Popen(
        (sys.executable, "-c", holder, str(place / ".commodore/lock")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        monkeypatch.setattr("time.monotonic", lambda: next(clock))
        ran = commodore("edit", "set", "web_shop.replicas", "3")
        monkeypatch.undo()
        process.communicate()

    assert ran.code == 1
    assert f"warning: waiting for another run (process {process.pid})" in ran.err
    assert f"error: another run (process {process.pid}) is running" in ran.err
    assert state(place) == before


def test_edit_is_refused_if_other_cluster_was_compiled(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    parameters = place / "inventory/classes/params/cluster.yml"
    was = parameters.read_text()
    holder = (
        "import fcntl, sys; file = open(sys.argv[1], 'r+'); fcntl.lockf(file, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        (sys.executable, "-c", holder, str(place / ".commodore/lock")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"

        def end_of_the_other_run(_: float) -> None:
            if process.poll() is None:
                parameters.write_text(was.replace("c-demo-1", "c-demo-2"))
                process.communicate()

        monkeypatch.setattr("time.sleep", end_of_the_other_run)
        ran = commodore("edit", "set", "web_shop.replicas", "3", "--commit", "--push")
        monkeypatch.undo()
    parameters.write_text(was)

    assert ran.code == 1
    assert "error: another run compiled cluster c-demo-2 in this working directory" in ran.err
    assert state(place) == before


def test_edit_interrupted_during_compile_writes_nothing(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(place)
    monkeypatch.setattr(pipeline, "render", lambda *_: signal.raise_signal(signal.SIGINT))

    ran = commodore("edit", "set", "web_shop.replicas", "3")

    assert ran.code == 130
    assert state(place) == before


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("region", ["east", "nowhere"])
def test_any_value_is_legal_without_enumeration(commodore: CommandLine, region: str) -> None:
    ran = commodore("edit", "set", "web_shop.region", region, "--dry-run")

    assert (ran.code, "legal values" in ran.err) == (0, False)


@pytest.mark.usefixtures("place")
def test_safe_legal_values_are_completed(
    commodore: CommandLine,
) -> None:
    words = "commodore edit set web_shop.ingress_class"

    ran = commodore(_COMMODORE_COMPLETE="bash_complete", COMP_WORDS=f"{words} ", COMP_CWORD="4")

    assert ran.out.split() == ["plain,none", "plain,public"]
