"""Local mode: dependencies as they lie in the working directory, with no network reached."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from commodore_py.model.dependency import Kind
from tests.support.builders import commit_in, component_files, git, url_of
from tests.support.scenarios.dependencies import (
    Workspace,
    component,
    configuration,
    head,
    instance,
    package,
)

if TYPE_CHECKING:
    import pytest


def test_local_mode_keeps_checkouts_unchanged(workspace: Workspace) -> None:
    foo, tenant = workspace.repository("foo"), workspace.repository("tenant", {"common.yml": "{}"})
    specs = (
        component(foo),
        instance(component(foo), "foo-2"),
        package(tenant, name="pack"),
        configuration(tenant, kind=Kind.TENANT),
    )
    fetched = workspace.fetch(*specs)
    mine = commit_in(workspace.place("foo"), {"mine.txt": "mine"})
    (workspace.place("foo") / "class/foo.yml").write_text("edited")
    shutil.rmtree(workspace.root / "remotes")

    found = workspace.fetch(*specs, local=True)

    assert [one.spec for one in found] == list(specs)
    assert found[0].commit == head(workspace.place("foo")) == mine
    assert [one.commit for one in found[1:]] == [one.commit for one in fetched[1:]]
    assert [one.version for one in found] == ["master"] * 4
    assert [one.url for one in found] == [url_of(foo)] * 2 + [url_of(tenant)] * 2


def test_linked_clone_is_used_in_local_mode(workspace: Workspace) -> None:
    foo = workspace.repository("foo")
    git(workspace.root, "clone", "--quiet", url_of(foo), "elsewhere")
    workspace.place("foo").parent.mkdir(parents=True)
    workspace.place("foo").symlink_to(workspace.root / "elsewhere")

    (found,) = workspace.fetch(component(foo), local=True)

    assert found.worktree == workspace.place("foo")
    assert found.commit == git(foo, "rev-parse", "master")


def test_missing_checkouts_are_skipped_with_warning(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    foo, bar = workspace.repository("foo"), workspace.repository("bar")
    workspace.fetch(component(foo))

    found = workspace.fetch(
        component(foo),
        component(bar),
        package(bar, name="pack"),
        instance(component(bar), "bar-2"),
        instance(component(bar), "bar-3"),
        local=True,
    )

    assert [one.spec.name for one in found] == ["foo"]
    assert caplog.messages == [
        f"component bar is not in {workspace.place('bar')}: skipped in local mode",
        f"package pack is not in {workspace.place('pkg.pack')}: skipped in local mode",
        "instances of skipped components are skipped too: bar-2, bar-3",
    ]


def test_all_unusable_checkouts_are_reported(workspace: Workspace) -> None:
    foo, bar = workspace.repository("foo"), workspace.repository("bar")
    broken = workspace.repository("broken", {"class/defaults.yml": ""})
    workspace.place("bar").mkdir(parents=True)
    workspace.fetch(component(foo))
    git(workspace.root, "clone", "--quiet", url_of(broken), str(workspace.place("broken")))

    errors = workspace.refused(
        component(bar),
        component(broken),
        instance(component(foo), "foo-2"),
        configuration(foo),
        component(foo),
        local=True,
    )

    assert [(str(error), error.where) for error in errors] == [
        ("component bar: the folder is not a Git checkout", str(workspace.place("bar"))),
        ("component broken: there is no class/broken.yml in version master", url_of(broken)),
        ("no checkout of foo as foo-2", str(workspace.place("foo-2"))),
        (
            "no checkout of the global configuration global",
            str(workspace.work / "inventory/classes/global"),
        ),
    ]
    assert "compile once without --local" in errors[2].hint


def test_configuration_without_remote_or_commit_is_used(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    place = workspace.work / "inventory/classes/global"
    place.mkdir(parents=True)
    git(place, "init", "--quiet", "--initial-branch=main")

    (found,) = workspace.fetch(configuration(workspace.root / "nowhere.git"), local=True)

    assert (found.commit, found.url, found.version) == ("", "", "main")
    assert f"in {place} has no remote and no commit: its version is unknown" in caplog.text


def test_component_without_remote_is_used(workspace: Workspace) -> None:
    place = workspace.place("foo")
    place.mkdir(parents=True)
    git(place, "init", "--quiet")
    commit = commit_in(place, component_files("foo"))

    (found,) = workspace.fetch(component(workspace.root / "foo.git", "v1"), local=True)

    assert (found.commit, found.version) == (commit, "v1")
