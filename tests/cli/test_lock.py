"""`commodore lock`: what is printed, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

_API = ("--api-url", "./demo/facts")
_COMPILE = ("catalog", "compile", "c-demo-2", *_API)


@pytest.fixture
def locked(commodore: CommandLine, tmp_path: Path) -> CommandLine:
    """A demo of its own, with a catalog and a lock of its second cluster."""
    write_demo(tmp_path / "demo")
    for words in (
        (*_COMPILE, "--push"),
        ("lock", "create", "c-demo-2", "--lock", "it.lock", *_API),
    ):
        ran = commodore(*words)
        assert ran.code == 0, ran.err
    return commodore


def test_lock_update_shows_graded_object_changes(locked: CommandLine) -> None:
    tenant = Path("demo/repos/t-demo.git")
    text = git(tenant, "show", "master:c-demo-2.yml")
    commit_to(tenant, {"c-demo-2.yml": text.replace("replicas: 1", "replicas: 7")})
    before = Path("it.lock").read_text()
    words = ("lock", "update", "config/tenant", "--lock", "it.lock", *_API)

    dry = locked(*words, "--dry-run")
    unchanged = Path("it.lock").read_text()
    ran = locked(*words)

    assert dry.code == ran.code == 0
    assert unchanged == before
    assert Path("it.lock").read_text() != before
    assert dry.out == ran.out
    assert "Deployment" in ran.out
    assert "replicas" in ran.out
    assert "Not written, because of --dry-run: it.lock" in dry.err
    assert "Wrote it.lock" in ran.err
    assert "Nothing changed" in locked(*words).err


def test_lock_export_lists_members(locked: CommandLine) -> None:
    words = ("lock", "export", "--out", "it", "-o", "json", *_API)
    ran = locked(*words, "--lock", "it.lock")
    neither, both = locked(*words), locked(*words, "it.lock", "--lock", "it.lock")
    by_argument = locked(*words[:2], "it.lock", "--out", "other", "-o", "json", *_API)

    members = json.loads(ran.out)["members"]
    assert json.loads(by_argument.out)["members"] == members
    assert (neither.code, "FILE" in neither.err) == (2, True)
    assert (both.code, "exclude each other" in both.err) == (2, True)

    assert "inputs.lock" in members
    assert all((Path("it") / one).is_file() for one in members)


def test_default_lock_belongs_to_compiled_cluster(
    locked: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_API_URL", "./demo/facts")
    create = ("lock", "create", "c-demo-2")
    assert locked("lock", "create", "c-demo-1").code == 0
    taken = locked(*create)
    check = ("lock", "check")
    of_any = locked(*check)

    assert taken.code == 2
    assert "this is the lock of cluster c-demo-1" in taken.err
    assert "commodore lock create c-demo-2 --lock locks/c-demo-2.lock" in taken.err
    assert locked(*create, "--lock", "locks/c-demo-2.lock").code == 0
    assert locked(*_COMPILE).code == 0
    mine, exported = locked(*check), locked("lock", "export", "--out", "it")
    assert "Using the lock file catalog.lock of cluster c-demo-1" in of_any.err
    for ran in (mine, exported):
        assert "Using the lock file locks/c-demo-2.lock of cluster c-demo-2" in ran.err
        assert ran.code == 0


def test_each_of_several_clusters_has_its_lock(locked: CommandLine) -> None:
    both = ("c-demo-1", "c-demo-2")
    compile_ = ("catalog", "compile", *both, *_API, "--lock", "{cluster}.lock")
    first = locked(*compile_)
    again = locked(*compile_, "--frozen")
    one_file = locked(*compile_[:-1], "c-demo-1.lock")

    assert [one.code for one in (first, again)] == [0, 0]
    assert one_file.code == 2
    assert "each cluster has a lock of its own" in one_file.err
