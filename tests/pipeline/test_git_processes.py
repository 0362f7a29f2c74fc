"""Git processes of a run: how many there are, and what others push between two of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.dependencies.git import remotes
from commodore_py.model.dependency import DependencySpec, Kind
from tests.support.builders import commit_to, git
from tests.support.scenarios.dependencies import Workspace, component, head, instance, tag
from tests.support.servers import git_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from tests.support.servers.git_http import HttpServer

COMPONENTS = 5
CONFIGURATIONS = {"global": Kind.GLOBAL, "tenant": Kind.TENANT}


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Counter[str]]:
    """The git commands that we started since the last call, without those that git started."""
    log = tmp_path / "git-events"
    log.touch()
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(log))

    def since() -> Counter[str]:
        events = [json.loads(line) for line in log.read_text().splitlines()]
        log.write_text("")
        return Counter(
            event["name"]
            for event in events
            if event["event"] == "cmd_name"
            and "/" not in event["sid"]
            and event["name"] != "_run_dashed_"  # the server's
        )

    return since


@pytest.fixture
def server(workspace: Workspace) -> Iterator[HttpServer]:
    with git_http.serve(workspace.root / "remotes") as server:
        yield server


@pytest.fixture
def specs(workspace: Workspace, server: HttpServer) -> list[DependencySpec]:
    """Components by branch and by tag, and two configurations."""
    found = []
    for number in range(COMPONENTS):
        name = f"c{number}"
        tag(workspace.repository(name), "v1")
        version, url = "v1" if number % 2 else "master", server.url(f"{name}.git")
        found.append(DependencySpec(Kind.COMPONENT, name, url, version, component=name))
    for name, kind in CONFIGURATIONS.items():
        workspace.repository(name, {"common.yml": "{}"})
        found.append(DependencySpec(kind, name, server.url(f"{name}.git"), None))
    return found


@pytest.fixture
def cache(workspace: Workspace) -> Path:
    """The user's mirrors."""
    return workspace.root / "cache/git"


@pytest.mark.long
def test_first_run(
    workspace: Workspace,
    specs: list[DependencySpec],
    cache: Path,
    started: Callable[[], Counter[str]],
) -> None:
    workspace.fetch(*specs, git_cache=cache)

    counted = started()
    assert counted.total() <= 6 * len(specs), counted
    assert counted["fetch"] + counted["clone"] <= 2 * len(specs)


@pytest.mark.long
def test_run_with_mirrors(
    workspace: Workspace,
    specs: list[DependencySpec],
    cache: Path,
    started: Callable[[], Counter[str]],
) -> None:
    workspace.fetch(*specs, git_cache=cache, paths=WorkPaths(workspace.root / "one"))
    started()

    workspace.fetch(*specs, git_cache=cache)

    counted = started()
    assert counted.total() <= 6 * len(specs), counted
    assert counted["fetch"] == 0


@pytest.mark.long
def test_unchanged_dependencies_start_two_programs_each(
    workspace: Workspace, specs: list[DependencySpec], started: Callable[[], Counter[str]]
) -> None:
    before = workspace.fetch(*specs)
    started()

    assert workspace.fetch(*specs) == before

    assert started() == {"ls-remote": len(specs), "status": len(specs)}


def test_several_checkouts_need_one_ls_remote(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    spec = component(workspace.repository("foo"))
    tag(workspace.root / "remotes/foo.git", "v1")
    specs = (spec, instance(spec, "foo-1", version="v1"), instance(spec, "foo-2"))
    workspace.fetch(*specs)
    started()

    workspace.fetch(*specs)

    assert started() == {"ls-remote": 1, "status": 3}


@pytest.mark.parametrize("edited", ["c0", "global"])
@pytest.mark.long
def test_pushed_edit(
    workspace: Workspace,
    specs: list[DependencySpec],
    started: Callable[[], Counter[str]],
    edited: str,
) -> None:
    workspace.fetch(*specs)
    commit_to(workspace.root / f"remotes/{edited}.git", {"new.txt": "new"})
    started()

    workspace.fetch(*specs)

    counted = started()
    assert counted.total() <= 2 * len(specs) + 4, counted
    assert counted["fetch"] == 1


@pytest.mark.long
def test_present_commits_need_no_request(
    workspace: Workspace, specs: list[DependencySpec], started: Callable[[], Counter[str]]
) -> None:
    remotes = workspace.root / "remotes"
    pinned = [
        spec._replace(version=git(remotes / f"{spec.name}.git", "rev-parse", "master"))
        for spec in specs
    ]
    workspace.fetch(*pinned)
    started()

    workspace.fetch(*pinned)

    counted = started()
    assert not counted.keys() & {"ls-remote", "fetch"}
    assert counted.total() <= 2 * len(specs), counted


@pytest.mark.long
def test_local_run_needs_few_processes(
    workspace: Workspace, specs: list[DependencySpec], started: Callable[[], Counter[str]]
) -> None:
    workspace.fetch(*specs)
    started()

    found = workspace.fetch(*specs, local=True)

    assert [one.short_commit for one in found] == [one.commit[:6] for one in found]
    assert started().total() <= 2 * len(specs) + len(CONFIGURATIONS)


def test_push_between_listing_and_fetch(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = workspace.repository("foo")
    workspace.fetch(component(remote))
    commit_to(remote, {"new.txt": "new"})
    latest: list[str] = []

    def listed(url: str) -> Refs:
        refs = list_refs(url)
        latest.append(commit_to(remote, {"newer.txt": "newer"}))
        return refs

    list_refs = remotes.list_refs
    monkeypatch.setattr(remotes, "list_refs", listed)

    (got,) = workspace.fetch(component(remote))

    assert got.commit == head(workspace.place("foo")) == latest[0]
