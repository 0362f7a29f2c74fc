"""The playground, compiled by us and by Commodore: the same catalogs, byte for byte."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to, git
from tests.support.commodore import (
    clean_environment,
    find_commodore,
    run_commodore,
    run_to_end,
    serve_facts,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.e2e

# Paths of an installation, not of a configuration.
_OF_THE_TOOL = re.compile(r"^(  _(?:python3|kustomize_wrapper): ).*$", re.MULTILINE)
_COMMODORE = [sys.executable, "-m", "commodore_py"]
_TIMESTAMP = re.compile(r"^(Compilation timestamp: ).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a tool left behind, pushed, reported and said after compiling twice."""

    work: Path
    heads: tuple[str, str]
    pushed: str
    message: str
    report: dict[str, Any]
    output: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The same cluster, compiled by both."""

    ours: Compiled
    theirs: Compiled


@pytest.fixture(scope="module", params=["c-demo-1 with a bundle", "c-demo-2"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Compile and push twice with each tool, in the same playground made again."""
    commodore = find_commodore()
    root = tmp_path_factory.mktemp("pair")
    cluster, _, bundled = request.param.partition(" ")
    theirs = _compile_with_commodore(commodore, _playground(root, bundled=bool(bundled)), cluster)
    shutil.rmtree(root / "demo")
    ours = _compile_with_ours(_playground(root, bundled=bool(bundled)), cluster)
    assert not bundled or "2026.11.1" in _bundle_in_effect(root, cluster)
    return Pair(ours=ours, theirs=theirs)


@pytest.mark.parametrize("part", ["manifests", "refs"])
def test_catalog_is_the_same(pair: Pair, part: str) -> None:
    ours = _files(pair.ours.work / "catalog" / part)
    theirs = _files(pair.theirs.work / "catalog" / part)

    # The trial cluster has no secret references.
    assert theirs or (part, pair.theirs.work.name) == ("refs", "c-demo-2")
    assert ours == theirs


def test_compiled_folder_is_the_same(pair: Pair) -> None:
    assert _files(pair.ours.work / "compiled") == _files(pair.theirs.work / "compiled")


def test_pushed_tree_is_the_same(pair: Pair) -> None:
    assert pair.ours.pushed == pair.theirs.pushed


def test_targets_are_the_same_but_for_places(pair: Pair) -> None:
    ours, theirs = _targets(pair.ours.work), _targets(pair.theirs.work)

    assert "cluster.yml" in theirs
    assert ours == theirs


def test_cluster_parameters_are_the_same(pair: Pair) -> None:
    ours, theirs = (
        (compiled.work / "inventory" / "classes" / "params" / "cluster.yml").read_text()
        for compiled in (pair.ours, pair.theirs)
    )

    assert ours == theirs


def test_commit_message_is_the_same_but_for_the_time(pair: Pair) -> None:
    ours, theirs = (_TIMESTAMP.sub(r"\1", side.message) for side in (pair.ours, pair.theirs))

    assert ours == theirs


def test_report_is_the_same_but_for_tool_and_time(pair: Pair) -> None:
    of_the_run = {"commodoreBuildInfo", "lastCompile"}

    assert pair.ours.report.keys() == pair.theirs.report.keys()
    for key in pair.theirs.report.keys() - of_the_run:
        assert pair.ours.report[key] == pair.theirs.report[key], key


def test_deprecated_component_is_reported_like_commodore_does(pair: Pair) -> None:
    ours, theirs = ("node-clock is deprecated" in side.output for side in (pair.ours, pair.theirs))

    assert ours == theirs


def test_second_compile_pushes_nothing(pair: Pair) -> None:
    for side in (pair.ours, pair.theirs):
        first, second = side.heads
        assert first == second


def _playground(root: Path, *, bundled: bool) -> Path:
    """The playground without its plan; with a bundle, all versions come from it, by an alias."""
    demo = write_demo(root / "demo").directory
    # Plans are ours alone.
    commit_to(demo / "repos" / "t-demo.git", {"plan.yml": "parameters: {}\n"})
    if not bundled:
        return root
    repository = demo / "repos" / "global.git"
    text = f"{git(repository, 'show', 'master:components.yml')}\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    entry = git(repository, "show", "master:commodore.yml").replace(
        "  - .components\n", "  - .bundles.${facts:bundle::stable}\n"
    )
    files = {
        "bundles/2026-11-1.yml": text,
        "bundles/stable.yml": "classes: [.2026-11-1]\n",
        "bundles/index.yml": "schema: bundle-index/v1\norder: calver\nbundles:\n"
        f"  - {{version: '2026.11.1', class: 2026-11-1, sha256: {digest}}}\n",
        "commodore.yml": entry,
        "components.yml": None,
    }
    commit_to(repository, files)
    return root


def _bundle_in_effect(root: Path, cluster: str) -> str:
    work, facts = root / "ours" / cluster, root / "demo" / "facts"
    environment = clean_environment(root / "home") | {"COMMODORE_API_URL": str(facts)}
    return run_to_end([*_COMMODORE, "bundle", "show", "--cluster", cluster], work, environment)


def _compile_with_commodore(commodore: Path, root: Path, cluster: str) -> Compiled:
    demo = root / "demo"
    work = root / "theirs" / cluster
    with serve_facts(demo / "facts") as api:

        def compile_once() -> str:
            return run_commodore(commodore, work, api.url, "catalog", "compile", cluster, "--push")

        def report() -> dict[str, Any]:
            ((path, body),) = api.reports
            assert path == f"/clusters/{cluster}/compileMeta"
            return body

        return _twice(compile_once, report, work, demo / "repos" / f"catalog-{cluster}.git")


def _compile_with_ours(root: Path, cluster: str) -> Compiled:
    demo = root / "demo"
    work = root / "ours" / cluster
    facts = demo / "facts"
    environment = clean_environment(root / "home") | {"COMMODORE_API_URL": str(facts)}
    command = [*_COMMODORE, "catalog", "compile", cluster, "--push"]

    def compile_once() -> str:
        return run_to_end(command, work, environment)

    def report() -> dict[str, Any]:
        body: dict[str, Any] = json.loads((facts / "reports" / f"{cluster}.json").read_text())
        return body

    return _twice(compile_once, report, work, demo / "repos" / f"catalog-{cluster}.git")


def _twice(
    compile_once: Callable[[], str], report: Callable[[], dict[str, Any]], work: Path, catalog: Path
) -> Compiled:
    compile_once()
    head = git(catalog, "rev-parse", "master")
    output = compile_once()
    return Compiled(
        work=work,
        heads=(head, git(catalog, "rev-parse", "master")),
        pushed=git(catalog, "ls-tree", "-r", "master"),
        message=git(catalog, "log", "--max-count=1", "--format=%B", "master"),
        report=report(),
        output=output,
    )


def _files(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """Content and executable bit of every file below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in folder.rglob("*")
        if path.is_file()
    }


def _targets(work: Path) -> dict[str, str]:
    """The target files, without what must differ from one place and installation to another."""
    return {
        path.name: _OF_THE_TOOL.sub(r"\1", path.read_text().replace(str(work), "<work>"))
        for path in (work / "inventory" / "targets").iterdir()
    }
