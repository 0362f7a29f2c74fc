"""With a lock, what moves on real servers: the same bytes, exit code 6 with names, or a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git
from tests.support.scenarios.locked import LockedCluster, replace_history, tag
from tests.support.servers import git_http, git_ssh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["http", "ssh"])
def served(
    request: pytest.FixtureRequest,
    cluster: LockedCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LockedCluster]:
    """A cluster whose repositories are all on a server; its charts and archives are, too."""
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "http:ssh")
    if request.param == "http":
        with git_http.serve(tmp_path) as server:
            _move_to(cluster, server.url("").rstrip("/"))
            yield cluster
    else:
        with git_ssh.serve(tmp_path / "ssh") as shell:
            monkeypatch.setenv("GIT_SSH_COMMAND", shell.command)
            _move_to(cluster, shell.url(tmp_path))
            yield cluster


def _move_to(cluster: LockedCluster, url: str) -> None:
    """Let everything that names a repository name it on the server."""
    root = cluster.fleet.root
    here = f"file://{root}"
    for file in (root / "facts").rglob("*.yaml"):
        file.write_text(file.read_text().replace(here, url))
    settings = root / "gitconfig"
    settings.write_text(settings.read_text().replace(here, url))
    for name, path in (("global", "components.yml"), ("component-app", "class/app.yml")):
        place = cluster.fleet.repository(name)
        text = git(place, "show", f"master:{path}")
        commit_to(place, {path: text.replace(here, url)})
    for repository in root.rglob("*.git"):
        git(repository, "config", "http.receivepack", "true")


def _requests_of(cluster: LockedCluster, **components: str) -> None:
    entries = {name: {"version": version} for name, version in components.items()}
    cluster.configure(parameters={"components": entries})


@pytest.mark.long
def test_locked_inputs_on_servers_are_not_followed(served: LockedCluster) -> None:
    component = served.fleet.repository("component-web")
    tag(component, "v1", "master")
    _requests_of(served, web="v1")
    first = served.compile()
    assert "file://" not in served.file.read_text()

    pages = dict(served.web.pages)
    for what in ("library", "repository", "chart", "component", "tenant"):
        served.move(what, "2")
    tag(component, "v1", "master")

    assert served.compile(frozen=True) == first
    served.forget("work")
    assert served.compile(frozen=True) == first
    served.forget()
    (error,) = served.refused(frozen=True)  # its only version is another one now
    assert "chart" in str(error)
    served.web.pages.update(pages)
    assert served.compile(frozen=True) == first


def test_commit_missing_on_server_is_used_from_clone(served: LockedCluster) -> None:
    first = served.compile()
    gone = served.lock.blocks["component", "web"].text("commit")
    for name in ("component-web", "global"):
        replace_history(served.fleet.repository(name))
        git(served.fleet.repository(name), "gc", "--quiet", "--prune=now")

    assert served.compile(frozen=True) == first
    served.forget()
    errors = served.refused(frozen=True)

    assert any("global" in str(one) and "not found" in str(one) for one in errors)
    assert all("commodore lock update" in one.hint and one.exit_code == 1 for one in errors)
    assert served.lock.blocks["component", "web"].text("commit") == gone


@pytest.mark.long
def test_lock_follows_added_and_removed_components(served: LockedCluster) -> None:
    served.configure("web")
    served.compile()
    served.unpin_tenant()
    served.configure("app", "web")

    errors = served.refused(frozen=True)
    served.compile()
    added = set(served.lock.of_kind("component"))
    served.configure("app")
    notices = served.run(frozen=True).notices
    served.compile()

    assert {one.exit_code for one in errors} == {6}
    assert any("app" in str(one) and "components.yml:" in one.where for one in errors)
    assert added == {"app", "web"}
    assert any("component/web is locked" in one.message for one in notices)
    assert set(served.lock.of_kind("component")) == {"app"}
