"""New clones and worktrees are what Git makes of them, however few programs that took."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.worktrees import add_worktree
from tests.support.builders import commit_to, git
from tests.support.scenarios.dependencies import (
    Workspace,
    component,
    head,
    instance,
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


def linked(clone: Path) -> set[int]:
    """How many names the files of a clone's objects have."""
    files = [file for file in (clone / "objects").rglob("*") if file.is_file()]
    return {file.stat().st_nlink for file in files if file.suffix != ".lock"}


@pytest.mark.parametrize("packed", [False, True])
def test_a_clone_of_what_lies_here_is_complete_and_of_its_own(
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


def test_tags_that_are_opened_are_noted(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo, "v1"))

    packed = (workspace.bare(foo) / "packed-refs").read_text().splitlines()

    value = git(foo, "rev-parse", "v1")
    assert packed[packed.index(f"{value} refs/tags/v1") + 1] == f"^{head(workspace.place('foo'))}"


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
def test_what_is_out_of_the_ordinary_is_left_to_a_fetch(
    workspace: Workspace, foo: Path, change: Callable[[Path], None]
) -> None:
    change(foo)

    workspace.fetch(component(foo, "v1"))

    assert (workspace.bare(foo) / "FETCH_HEAD").is_file()
    assert linked(workspace.bare(foo)) == {1}
    assert ("refs/remotes/origin/feat/x" in names_of_refs(workspace.bare(foo))) == (
        change is not hidden_refs
    )


def test_settings_about_remotes_are_left_to_git(
    workspace: Workspace, foo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = workspace.root / "settings"
    git(workspace.root, "config", "--file", str(settings), "fetch.fsckObjects", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))

    workspace.fetch(component(foo, "v1"))

    assert (workspace.bare(foo) / "FETCH_HEAD").is_file()


def test_a_repository_that_lacks_objects_is_an_error_and_leaves_nothing(
    workspace: Workspace, foo: Path
) -> None:
    blob = git(foo, "rev-parse", "feat/x:more.txt")
    (foo / "objects" / blob[:2] / blob[2:]).unlink()

    (error,) = workspace.refused(component(foo, "v1"))

    assert "cannot fetch component foo" in str(error)
    assert not workspace.place("foo").exists()
    assert names_of_refs(workspace.bare(foo)) == {}


def test_a_commit_that_no_name_leads_to_is_not_found_by_accident(
    workspace: Workspace, foo: Path
) -> None:
    lost = git(foo, "rev-parse", "feat/x")
    rewrite_history(foo, {"other.txt": "other"}, name="feat/x")

    (error,) = workspace.refused(component(foo, lost))

    assert f"revision {lost} not found" in str(error)


def test_the_template_is_the_users_and_its_hooks_do_not_run(
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


@pytest.mark.parametrize("name", ["foo", "foo.x-1_y", "-odd", "foo.lock"])
@pytest.mark.parametrize("branch", ["", "master"])
def test_a_worktree_is_what_git_would_have_made(
    workspace: Workspace, foo: Path, name: str, branch: str
) -> None:
    theirs, ours = workspace.root / "theirs" / name, workspace.root / "ours" / name
    for folder in (theirs, ours):
        folder.parent.mkdir()
        git(workspace.root, "clone", "--quiet", "--bare", str(foo), str(folder.parent / "bare.git"))
        git(
            folder.parent / "bare.git",
            "config",
            "remote.origin.fetch",
            "+refs/heads/*:refs/remotes/origin/*",
        )
        git(folder.parent / "bare.git", "fetch", "--quiet")
        git(folder.parent / "bare.git", "update-ref", "-d", "refs/heads/master")
    commit = git(foo, "rev-parse", "master")
    how = ("--track", "-B", branch) if branch else ("--detach",)
    start = f"refs/remotes/origin/{branch}" if branch else commit
    git(theirs.parent / "bare.git", "worktree", "add", "--quiet", *how, str(theirs), start)

    add_worktree(ours, ours.parent / "bare.git", commit, branch)

    assert state_of(ours) == state_of(theirs)
    git(ours.parent / "bare.git", "fsck")
    git(ours, "checkout", "--quiet", "feat/x")


def state_of(worktree: Path) -> list[str]:
    (admin,) = (worktree.parent / "bare.git/worktrees").iterdir()
    return [
        admin.name,
        git(worktree, "status", "--porcelain=v2", "--branch"),
        git(worktree, "ls-files", "--stage"),
        git(worktree, "for-each-ref"),
        git(worktree.parent / "bare.git", "config", "--list", "--local").replace("theirs", "ours"),
        *(
            (admin / one).read_text().replace("theirs", "ours")
            for one in ("HEAD", "commondir", "gitdir")
        ),
        (worktree / ".git").read_text().replace("theirs", "ours"),
        str((admin / "locked").exists()),
    ]


def test_a_name_that_is_taken_gets_a_number(workspace: Workspace, foo: Path) -> None:
    spec = component(foo)
    workspace.fetch(spec, instance(spec, "pkg.foo"))
    git(
        workspace.bare(foo),
        "worktree",
        "add",
        "--quiet",
        "--detach",
        str(workspace.root / "else/bar"),
    )

    workspace.fetch(spec, instance(spec, "bar"))

    assert sorted(p.name for p in (workspace.bare(foo) / "worktrees").iterdir()) == [
        *("bar", "bar1", "foo", "pkg.foo"),
    ]
    assert head(workspace.place("bar")) == head(workspace.place("foo"))
