"""`--lock` of components and packages by themselves: one file for all of their test cases."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.authoring import make_package_clone
from tests.support.builders import git, url_of
from tests.support.scenarios.locked import LockedCluster
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine, Ran

_TEST = ("component", "test", "component-app", "--lock", "it.lock")
_EXIT_LOCK = 6


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LockedCluster]:
    """A component with a library, an archive, a repository and a chart, and two test cases."""
    with serve() as web:
        made = LockedCluster.make(tmp_path, web, monkeypatch)
        git(tmp_path, "clone", "--quiet", url_of(made.fleet.repository("component-app")))
        for name in ("one", "two"):
            file = tmp_path / f"component-app/tests/{name}.yml"
            file.parent.mkdir(exist_ok=True)
            file.write_text("{}\n")
        yield made


def _blocks() -> dict[str, Any]:
    return tomllib.loads(Path("it.lock").read_text())


def _passed(ran: Ran) -> None:
    assert ran.code == 0, ran.out + ran.err


def _move_all(inputs: LockedCluster) -> None:
    for what in ("library", "repository", "chart"):
        inputs.move(what, "2")


@pytest.mark.long
def test_component_test_uses_locked_inputs(inputs: LockedCluster, commodore: CommandLine) -> None:
    _passed(commodore(*_TEST, "--update"))
    written = Path("it.lock").read_text()
    _move_all(inputs)

    _passed(commodore(*_TEST, "--frozen", COMMODORE_LOCK="/no/such/file"))

    assert Path("it.lock").read_text() == written
    assert {"library", "file", "repository", "chart", "tool"} <= _blocks().keys()
    assert list(_blocks()["library"]) == ["git.example.com/me/library@master"]
    changed = commodore("component", "test", "component-app")
    assert changed.code == 1
    assert "library: '2'" in changed.out or '"2"' in changed.out


@pytest.mark.long
def test_lock_variable_has_no_effect_on_component_test(
    inputs: LockedCluster, commodore: CommandLine
) -> None:
    _passed(commodore("component", "test", "component-app", "--update", COMMODORE_LOCK="it.lock"))

    assert inputs.web.pages
    assert not Path("it.lock").exists()


def test_frozen_component_test_lists_unlocked_inputs(
    inputs: LockedCluster, commodore: CommandLine
) -> None:
    _passed(commodore(*_TEST, "--update"))
    written = Path("it.lock").read_text()
    kinds = ('[file."', '[library."')
    kept = [one for one in written.split("\n\n") if not one.startswith(kinds)]
    Path("it.lock").write_text("\n\n".join(kept))

    libraries = commodore(*_TEST, "--frozen")
    assert libraries.code == _EXIT_LOCK
    assert "library git.example.com/me/library: master is required" in libraries.err
    assert "run it again without --frozen" in libraries.err

    _passed(commodore(*_TEST))
    assert Path("it.lock").read_text() == written
    assert commodore(*_TEST, "--frozen", "--lock", "other.lock").code == _EXIT_LOCK
    assert inputs.web.pages


def test_single_case_keeps_pins_of_others(inputs: LockedCluster, commodore: CommandLine) -> None:
    more = {"type": "https", "source": inputs.web.put("/b", b"b"), "output_path": "vendor/b"}
    values = {"parameters": {"kapitan": {"dependencies": [more]}}}
    case = Path("component-app/tests/two.yml")
    case.write_text(yaml.safe_dump(values))
    _passed(commodore(*_TEST, "--update"))
    both = _blocks()["file"]
    case.write_text("{}\n")

    _passed(commodore(*_TEST, "--update", "--case", "one"))
    compiled = commodore(
        *("component", "compile", "component-app", "-f", "component-app/tests/one.yml"),
        *("--lock", "it.lock", "--frozen", "-o", "component-app", "-J", "component-app"),
    )
    _passed(compiled)
    assert _blocks()["file"] == both

    _passed(commodore(*_TEST, "--update"))
    assert len(both) - len(_blocks()["file"]) == 1


def test_offline_component_test_uses_locked_downloads(
    inputs: LockedCluster, commodore: CommandLine
) -> None:
    _passed(commodore(*_TEST, "--update"))
    git(Path("component-app"), "clean", "-xdfq", "--exclude=tests")
    for name in ("remotes", "git.example.com"):
        Path(name).rename(f"{name}-away")
    inputs.web.answers()

    _passed(commodore(*_TEST, "--offline"))

    assert inputs.web.answers() == []


def test_locks_of_clusters_and_of_components_are_not_mixed(
    inputs: LockedCluster, commodore: CommandLine
) -> None:
    inputs.compile()
    of_cluster = commodore(*_TEST)
    assert of_cluster.code == 2
    assert "this is the lock of cluster c-one" in of_cluster.err
    inputs.file.unlink()
    _passed(commodore(*_TEST, "--update"))

    (error,) = inputs.refused()
    update = commodore("lock", "update", "--lock", "it.lock", "--api-url", "./facts")

    assert "names no cluster" in str(error)
    assert update.code == 1
    assert "component test" in update.err
    _passed(commodore("lock", "check", "--lock", "it.lock"))


def test_package_test_uses_locked_inputs(inputs: LockedCluster, commodore: CommandLine) -> None:
    entry = {"url": url_of(inputs.fleet.repository("component-web")), "version": "master"}
    git(inputs.fleet.repository("component-web"), "tag", "v1")
    values = {"applications": ["web"], "parameters": {"components": {"web": entry}}}
    older = {"parameters": {"components": {"web": {"version": "v1"}}}}
    make_package_clone(
        Path.cwd(),
        "own",
        {
            "web.yml": yaml.safe_dump(values),
            "tests/new.yml": yaml.safe_dump({"classes": ["own.web"]}),
            "tests/old.yml": yaml.safe_dump({"classes": ["own.web"], **older}),
        },
    )
    test = ("package", "test", "package-own", "--lock", "it.lock")
    _passed(commodore(*test, "--update"))
    inputs.move("component", "2")

    _passed(commodore(*test, "--frozen"))
    _passed(commodore("package", "compile", "package-own", "tests/new.yml", *test[3:], "--frozen"))

    assert list(_blocks()["component"]) == ["web@master", "web@v1"]
    assert commodore("package", "test", "package-own").code == 1
    Path("repos").rename("away")
    _passed(commodore(*test, "--offline"))
