"""New clones and worktrees are what Git makes of them, however few programs that took."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git
from tests.support.scenarios.dependencies import (
    Workspace,
    component,
    head,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def foo(workspace: Workspace) -> Path:
    repository = workspace.repository("foo")
    tag(repository, "v1")
    git(repository, "tag", "light", "master")
    commit_to(repository, {"more.txt": "more"}, branch="feat/x")
    return repository


def names_of_refs(repository: Path) -> dict[str, str]:
    listing = git(repository, "for-each-ref", "--format=%(refname) %(objectname)")
    return dict(line.split(" ") for line in listing.splitlines())


@pytest.mark.parametrize("packed", [False, True])
def test_clone_of_local_repository_is_complete_and_independent(
    workspace: Workspace, foo: Path, *, packed: bool
) -> None:
    if packed:
        git(foo, "gc", "--quiet")

    workspace.fetch(component(foo, "v1"))

    clone = workspace.bare(foo)
    theirs = names_of_refs(foo)
    ours = names_of_refs(clone)
    assert {n: v for n, v in ours.items() if not n.startswith("refs/heads/")} == {
        name.replace("refs/heads/", "refs/remotes/origin/"): value for name, value in theirs.items()
    }
    assert not (clone / "objects/info/alternates").exists()
    foo.rename(foo.with_name("gone.git"))
    git(clone, "fsck", "--full", "--strict", "--connectivity-only")
    assert head(workspace.place("foo")) == theirs["refs/heads/master"]
    assert git(workspace.place("foo"), "status", "--porcelain") == ""


def shallow(repository: Path) -> None:
    commit_to(repository, {"b.txt": "b"})
    (repository / "shallow").write_text(git(repository, "rev-parse", "master") + "\n")


def borrowing(repository: Path) -> None:
    (repository / "objects").rename(repository.with_name("objects"))
    (repository / "objects/info").mkdir(parents=True)
    (repository / "objects/pack").mkdir()
    there = repository.with_name("objects")
    (repository / "objects/info/alternates").write_text(f"{there}\n")


def a_link_among_objects(repository: Path) -> None:
    git(repository, "gc", "--quiet")
    (pack,) = (repository / "objects/pack").glob("*.pack")
    elsewhere = repository.with_name("elsewhere.pack")
    pack.rename(elsewhere)
    pack.symlink_to(elsewhere)


def hidden_refs(repository: Path) -> None:
    git(repository, "config", "transfer.hideRefs", "refs/heads/feat")


@pytest.mark.parametrize("change", [shallow, borrowing, a_link_among_objects, hidden_refs])
def test_unusual_remotes_are_fetched(
    workspace: Workspace, foo: Path, change: Callable[[Path], None]
) -> None:
    change(foo)

    workspace.fetch(component(foo, "v1"))

    assert ("refs/remotes/origin/feat/x" in names_of_refs(workspace.bare(foo))) == (
        change is not hidden_refs
    )


def test_repository_with_missing_objects_leaves_no_clone(workspace: Workspace, foo: Path) -> None:
    blob = git(foo, "rev-parse", "feat/x:more.txt")
    (foo / "objects" / blob[:2] / blob[2:]).unlink()

    (error,) = workspace.refused(component(foo, "v1"))

    assert "cannot fetch component foo" in str(error)
    assert not workspace.place("foo").exists()
    assert not workspace.bare(foo).exists()


def test_unreachable_commit_is_not_found(workspace: Workspace, foo: Path) -> None:
    lost = git(foo, "rev-parse", "feat/x")
    rewrite_history(foo, {"other.txt": "other"}, name="feat/x")

    (error,) = workspace.refused(component(foo, lost))

    assert f"revision {lost} not found" in str(error)


def test_user_template_is_copied_without_running_hooks(
    workspace: Workspace, foo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = workspace.root / "template/hooks/post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\necho $2 >> {workspace.root}/hooked\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(hook.parent.parent))

    bar = workspace.repository("bar")
    workspace.fetch(component(foo), component(bar))

    for repository in (foo, bar):
        assert os.access(workspace.bare(repository) / "hooks/post-checkout", os.X_OK)
    assert not (workspace.root / "hooked").exists()
