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
    for words in ((*_COMPILE, "--push"), ("lock", "create", "c-demo-2", "-o", "it.lock", *_API)):
        ran = commodore(*words)
        assert ran.code == 0, ran.err
    return commodore


def test_an_update_shows_objects_with_their_grades(locked: CommandLine) -> None:
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


def test_facts_are_shown_with_their_values(locked: CommandLine) -> None:
    shown = locked("lock", "show", "facts", "--lock", "it.lock")

    assert shown.out.startswith("facts\n    cloud: ")


def test_an_export_lists_its_members(locked: CommandLine) -> None:
    ran = locked("lock", "export", "--lock", "it.lock", "-o", "it", "--output", "json", *_API)

    members = json.loads(ran.out)["members"]

    assert "inputs.lock" in members
    assert all((Path("it") / one).is_file() for one in members)


def test_the_exit_code_of_from_catalog(locked: CommandLine) -> None:
    same = locked("lock", "from-catalog", "-o", "same.lock", "--cluster", "c-demo-2", *_API)
    catalog = Path("catalog")
    who = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    git(catalog, *who, "commit", "--quiet", "--allow-empty", "--message=by hand")

    unknown = locked("lock", "from-catalog", "-o", "other.lock", "--cluster", "c-demo-2", *_API)

    assert same.code == 0, same.err
    assert "equal to HEAD" in same.err
    assert unknown.code == 1
    assert "has no message by commodore" in unknown.err


def test_several_clusters_have_a_lock_each(locked: CommandLine) -> None:
    both = ("c-demo-1", "c-demo-2")
    compile_ = ("catalog", "compile", *both, *_API, "--lock", "{cluster}.lock")
    first = locked(*compile_)
    again = locked(*compile_, "--frozen")
    one_file = locked(*compile_[:-1], "c-demo-1.lock")
    files = [word for name in both for word in ("--lock", f"{name}.lock")]
    locks = [Path(f"{name}.lock").read_text() for name in both]
    tenant = Path("demo/repos/t-demo.git")
    text = git(tenant, "show", "master:c-demo-2.yml")
    commit_to(tenant, {"c-demo-2.yml": text.replace("replicas: 1", "replicas: 7")})

    shown = locked("lock", "show", "config/global", *files)
    checked = locked("lock", "check", *files)
    updated = locked("lock", "update", "config/tenant", *files, *_API)

    assert [one.code for one in (first, again, shown, checked, updated)] == [0] * 5
    assert one_file.code != 0
    assert "this is the lock of cluster c-demo-1, and not of c-demo-2" in one_file.err
    assert shown.out.count("config/global  ") == len(both)
    assert "commodore.yml" not in shown.out
    assert checked.out.count("behind") == len(both)
    assert "Deployment" in updated.out
    assert all(
        Path(f"{name}.lock").read_text() != one for name, one in zip(both, locks, strict=True)
    )
    unknown = locked("lock", "show", "no-such", *files)
    assert unknown.code == 2
