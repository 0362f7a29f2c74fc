"""Components and packages, fetched into worktrees from real repositories."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.repository import git_folder_of
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind
from tests.support.builders import commit_to, component_files, git, url_of
from tests.support.scenarios.dependencies import (
    Workspace,
    backups,
    branch,
    component,
    configuration,
    head,
    instance,
    package,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def foo(workspace: Workspace) -> Path:
    """A component with one commit on each of its branches `master` and `feat/x`, and tags."""
    repository = workspace.repository("foo")
    git(repository, "branch", "feat/x", "master")
    commit_to(repository, {"new.txt": "x"}, branch="feat/x")
    tag(repository, "v1.0.0")
    git(repository, "tag", "light", "feat/x")
    return repository


@pytest.mark.parametrize(
    ("version", "means", "on_branch"),
    [
        ("master", "master", "master"),
        ("feat/x", "feat/x", "feat/x"),
        ("v1.0.0", "master", "HEAD"),
        ("light", "feat/x", "HEAD"),
        ("origin/master", "master", "HEAD"),
        ("refs/tags/v1.0.0", "master", "HEAD"),
        ("feat/x~1", "master", "HEAD"),
        ("HEAD", "master", "HEAD"),
    ],
)
def test_repeated_fetch_checks_out_same_version(
    workspace: Workspace, foo: Path, version: str, means: str, on_branch: str
) -> None:
    commit = git(foo, "rev-parse", means)

    first = workspace.fetch(component(foo, version))
    again = workspace.fetch(component(foo, version))

    assert first == again
    (got,) = again
    assert (got.commit, got.version, got.url) == (commit, version, url_of(foo))
    assert got.short_commit == commit[:6]
    assert (head(workspace.place("foo")), branch(workspace.place("foo"))) == (commit, on_branch)
    assert git(workspace.place("foo"), "status", "--porcelain") == ""


@pytest.mark.parametrize("length", [40, 10])
def test_commit_is_checked_out_detached(workspace: Workspace, foo: Path, length: int) -> None:
    commit = git(foo, "rev-parse", "feat/x")

    (got,) = workspace.fetch(component(foo, commit[:length]))

    assert got.commit == commit
    assert branch(workspace.place("foo")) == "HEAD"


def test_present_commit_needs_no_remote(workspace: Workspace, foo: Path) -> None:
    spec = component(foo, git(foo, "rev-parse", "feat/x"))
    before = workspace.fetch(spec)
    shutil.rmtree(foo)

    assert workspace.fetch(spec) == before


def test_branch_tracks_its_remote(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo, "feat/x"))

    upstream = git(workspace.place("foo"), "rev-parse", "--abbrev-ref", "feat/x@{upstream}")

    assert upstream == "origin/feat/x"


def test_unchanged_dependency_is_not_rewritten(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    place = workspace.place("foo")
    watched = [p for p in place.rglob("*") if p.is_file()] + [workspace.bare(foo) / "config"]
    before = {path: path.stat().st_mtime_ns for path in watched}
    reflog = git(place, "reflog")

    workspace.fetch(component(foo))

    assert {path: path.stat().st_mtime_ns for path in watched} == before
    assert git(place, "reflog") == reflog


def _forward(repository: Path) -> str:
    return commit_to(repository, {"more.txt": "more"})


def _rewritten(repository: Path) -> str:
    return rewrite_history(repository, component_files("foo", other__txt="other"))


@pytest.mark.parametrize("change", [_forward, _rewritten])
def test_branch_is_followed(workspace: Workspace, foo: Path, change: Callable[[Path], str]) -> None:
    workspace.fetch(component(foo))
    commit = change(foo)

    (got,) = workspace.fetch(component(foo))

    assert got.commit == head(workspace.place("foo")) == commit
    assert branch(workspace.place("foo")) == "master"
    assert backups(workspace.bare(foo)) == []


def test_moved_tag_is_followed_with_warning(
    workspace: Workspace, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (before,) = workspace.fetch(component(foo, "v1.0.0"))
    moved_to = commit_to(foo, {"more.txt": "more"})
    tag(foo, "v1.0.0")

    (got,) = workspace.fetch(component(foo, "v1.0.0"))

    assert got.commit == head(workspace.place("foo")) == moved_to
    found = f"v1.0.0 ({before.commit[:8]} to {moved_to[:8]})"
    assert f"a tag was moved in {url_of(foo)}: {found}" in caplog.text


def test_version_can_be_switched_back(workspace: Workspace, foo: Path) -> None:
    for version, on_branch in [
        ("master", "master"),
        ("feat/x", "feat/x"),
        ("v1.0.0", "HEAD"),
        ("master", "master"),
    ]:
        (got,) = workspace.fetch(component(foo, version))

        assert head(workspace.place("foo")) == got.commit == git(foo, "rev-parse", version + "^{}")
        assert branch(workspace.place("foo")) == on_branch


def test_deleted_merged_branch_is_not_local_work(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo, "feat/x"))
    git(foo, "branch", "-D", "feat/x")
    git(foo, "tag", "-d", "light")

    (error,) = workspace.refused(component(foo, "feat/x"))
    (got,) = workspace.fetch(component(foo, "master"))

    assert "revision feat/x not found" in str(error)
    assert head(workspace.place("foo")) == got.commit


def test_tag_wins_over_branch(workspace: Workspace, foo: Path) -> None:
    git(foo, "branch", "v1.0.0", "feat/x")

    first = workspace.fetch(component(foo, "v1.0.0"))

    assert first[0].commit == git(foo, "rev-parse", "master")
    assert workspace.fetch(component(foo, "v1.0.0")) == first


def test_deleted_worktree_is_restored_up_to_date(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    shutil.rmtree(workspace.place("foo"))
    commit = commit_to(foo, {"more.txt": "more"})

    (got,) = workspace.fetch(component(foo))

    assert got.commit == head(workspace.place("foo")) == commit
    assert branch(workspace.place("foo")) == "master"


def test_worktrees_work_after_moving_the_working_directory(tmp_path: Path) -> None:
    old, new = Workspace(tmp_path / "old"), Workspace(tmp_path / "new")
    foo = old.repository("foo")
    old.fetch(component(foo))
    (tmp_path / "new").mkdir()
    old.work.rename(new.work)
    (new.place("foo") / "class/foo.yml").write_text("edited")

    (error,) = new.refused(component(foo))
    git(new.place("foo"), "checkout", "--", ".")
    (got,) = new.fetch(component(foo))

    assert "modified class/foo.yml" in str(error)
    assert head(new.place("foo")) == got.commit


@pytest.mark.parametrize("edited", [False, True])
def test_copied_working_directory_is_independent(tmp_path: Path, *, edited: bool) -> None:
    old, new = Workspace(tmp_path / "old"), Workspace(tmp_path / "new")
    foo = old.repository("foo")
    old.fetch(component(foo))
    (tmp_path / "new").mkdir()
    shutil.copytree(old.work, new.work, symlinks=True)
    if edited:
        (new.place("foo") / "class/foo.yml").write_text("edited")
    before = [(file, file.read_bytes()) for file in old.root.rglob("*") if file.is_file()]

    if edited:
        assert "modified class/foo.yml" in str(new.refused(component(foo))[0])
        git(new.place("foo"), "checkout", "--", ".")
    new.fetch(component(foo))
    author = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    git(new.place("foo"), *author, "commit", "--quiet", "--allow-empty", "--message", "Mine")
    commit = head(new.place("foo"))

    assert all(file.read_bytes() == content for file, content in before)
    (got,) = old.fetch(component(foo))
    assert head(old.place("foo")) == got.commit != commit


def test_copied_checkout_without_clone_is_recreated(tmp_path: Path) -> None:
    old, new = Workspace(tmp_path / "old"), Workspace(tmp_path / "new")
    foo = old.repository("foo")
    old.fetch(component(foo))
    new.place("foo").parent.mkdir(parents=True)
    shutil.copytree(old.place("foo"), new.place("foo"))

    (got,) = new.fetch(component(foo))

    assert head(new.place("foo")) == head(old.place("foo")) == got.commit
    assert git_folder_of(old.place("foo")) != git_folder_of(new.place("foo"))


def test_dependency_is_checked_out_into_empty_folder(workspace: Workspace, foo: Path) -> None:
    workspace.place("foo").mkdir(parents=True)

    (got,) = workspace.fetch(component(foo))

    assert head(workspace.place("foo")) == got.commit


def test_incomplete_worktree_is_recreated(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    (workspace.place("foo") / "class/foo.yml").unlink()
    (workspace.bare(foo) / "worktrees/foo/locked").write_text("initializing")

    (got,) = workspace.fetch(component(foo))

    assert head(workspace.place("foo")) == got.commit
    assert (workspace.place("foo") / "class/foo.yml").is_file()


def test_checkout_with_damaged_clone_is_an_error(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    (workspace.bare(foo) / "HEAD").unlink()

    with pytest.raises(CommodoreError) as damaged:
        workspace.fetch(component(foo))
    shutil.rmtree(workspace.bare(foo))
    with pytest.raises(CommodoreError, match=r"the clone .* is gone; nothing was touched") as gone:
        workspace.fetch(component(foo))

    assert str(workspace.bare(foo)) in damaged.value.where
    assert "move it away" in damaged.value.hint
    assert (gone.value.where, workspace.place("foo").is_dir()) == (
        str(workspace.place("foo")),
        True,
    )
    workspace.place("foo").rename(workspace.work / "away")
    assert workspace.fetch(component(foo))[0].commit == head(workspace.place("foo"))


def test_changed_repository_replaces_clean_checkout(
    workspace: Workspace, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.fetch(component(foo))
    fork = workspace.repository("fork", component_files("foo", fork__txt="fork"))

    (got,) = workspace.fetch(component(fork, name="foo"))

    assert head(workspace.place("foo")) == got.commit == git(fork, "rev-parse", "master")
    assert f"its repository was {url_of(foo)} and is {url_of(fork)} now" in caplog.text
    assert workspace.fetch(component(foo))[0].commit == head(workspace.place("foo"))


def test_changed_worktree_remote_is_reported_as_moved(
    workspace: Workspace, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.fetch(component(foo))
    fork = workspace.repository("fork", component_files("foo", fork__txt="fork"))
    git(workspace.place("foo"), "remote", "set-url", "origin", url_of(fork))

    workspace.fetch(component(fork, name="foo"))

    assert f"its repository was another one and is {url_of(fork)} now" in caplog.text


def test_clean_clone_is_replaced_by_worktree(workspace: Workspace, foo: Path) -> None:
    workspace.place("foo").parent.mkdir(parents=True)
    git(workspace.work, "clone", "--quiet", url_of(foo), str(workspace.place("foo")))

    (got,) = workspace.fetch(component(foo))

    assert (workspace.place("foo") / ".git").is_file()
    assert head(workspace.place("foo")) == got.commit


def test_instance_on_branch_of_component_follows_detached(workspace: Workspace, foo: Path) -> None:
    specs = (component(foo), instance(component(foo), "foo-2"))
    for _ in range(2):
        commit = commit_to(foo, {"more.txt": os.urandom(4).hex()})

        workspace.fetch(*specs)

        assert [head(workspace.place(name)) for name in ("foo", "foo-2")] == [commit, commit]
        assert [branch(workspace.place(name)) for name in ("foo", "foo-2")] == ["master", "HEAD"]


def test_two_worktrees_on_one_branch_are_both_updated(workspace: Workspace, foo: Path) -> None:
    specs = (component(foo), instance(component(foo), "foo-2"))
    workspace.fetch(*specs)
    git(workspace.place("foo-2"), "checkout", "--quiet", "--ignore-other-worktrees", "master")
    commit = commit_to(foo, {"more.txt": "more"})

    workspace.fetch(*specs)

    assert [head(workspace.place(name)) for name in ("foo", "foo-2")] == [commit, commit]


def test_branch_of_deleted_worktree_can_be_checked_out(workspace: Workspace, foo: Path) -> None:
    other = instance(component(foo), "foo-2")
    workspace.fetch(component(foo, "feat/x"), other)
    shutil.rmtree(workspace.place("foo"))

    workspace.fetch(instance(component(foo), "foo-2", version="feat/x"))

    assert branch(workspace.place("foo-2")) == "feat/x"
    assert head(workspace.place("foo-2")) == git(foo, "rev-parse", "feat/x")


def test_components_of_one_repository_have_own_folders(
    workspace: Workspace,
) -> None:
    mono = workspace.repository("mono", component_files("a", folder="comps/a/"))
    tag(mono, "v1")
    latest = commit_to(mono, component_files("b", folder="comps/b/"))

    a, b, shared = workspace.fetch(
        component(mono, "v1", name="a", path="comps/a"),
        component(mono, "master", name="b", path="comps/b/"),
        package(mono, name="shared", path="comps"),
    )

    assert (a.commit, b.commit) == (git(mono, "rev-parse", "v1^{}"), latest)
    assert (b.directory / "class/b.yml").is_file()
    assert shared.directory == workspace.place("pkg.shared") / "comps"
    assert len(list((workspace.work / "dependencies/.repos").rglob("worktrees"))) == 1


def test_incomplete_dependencies_are_reported_together(workspace: Workspace, foo: Path) -> None:
    empty = workspace.repository("empty", {"class/defaults.yml": ""})
    specs = (component(empty), component(foo, path="nowhere"), package(foo, path="pkgs/p"))

    errors = workspace.refused(*specs)

    found = {str(error): error.where for error in errors}
    assert found == {
        "component empty: there is no class/empty.yml in version master": url_of(empty),
        "component foo: there is no folder nowhere in version master": url_of(foo),
        "package foo: there is no folder pkgs/p in version master": url_of(foo),
    }


def test_all_unreachable_repositories_are_reported_together(
    workspace: Workspace, foo: Path
) -> None:
    gone, lost = (workspace.root / f"{name}.git" for name in ("gone", "lost"))
    tenant = configuration(workspace.root / "tenant.git", kind=Kind.TENANT)

    errors = workspace.refused(
        component(gone), component(foo), instance(component(gone), "gone-2"), package(lost), tenant
    )

    assert [error.where.splitlines() for error in errors] == [
        [
            url_of(gone),
            "target cluster, parameters.components.gone.url",
            "target cluster, parameters.components.gone-2.url",
        ],
        [url_of(lost), "target cluster, parameters.packages.lost.url"],
        [tenant.url, "gitRepo.url of the tenant"],
    ]
    assert "cannot fetch component gone, component instance gone-2: fatal:" in str(errors[0])
    assert "cannot fetch package lost" in str(errors[1])
    assert "cannot fetch the tenant configuration" in str(errors[2])
    assert all("Traceback" not in str(error) for error in errors)


def test_missing_revision_names_dependency(workspace: Workspace, foo: Path) -> None:
    first = workspace.refused(component(foo, "v9"), instance(component(foo), "foo-2", version="v8"))
    workspace.fetch(component(foo))
    later = workspace.refused(component(foo, "v9"))

    assert [str(error) for error in (*first, *later)] == [
        "component foo: revision v9 not found",
        "component instance foo-2: revision v8 not found",
        "component foo: revision v9 not found",
    ]
    assert {error.where.splitlines()[0] for error in (*first, *later)} == {url_of(foo)}


def test_local_branch_is_not_a_version(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    git(workspace.place("foo"), "branch", "mine")

    (error,) = workspace.refused(component(foo, "mine"))

    assert "revision mine not found" in str(error)


def test_progress_names_no_password(workspace: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    spec = component(Path("/nowhere"))
    secret = spec.__class__(spec.kind, "foo", "http://me:secret@127.0.0.1:9/foo.git", "master")

    (error,) = workspace.refused(secret)

    shown = f"{error} {error.where} {error.hint} {error.__notes__} {caplog.text}"
    assert "http://127.0.0.1:9/foo.git" in shown
    assert "secret" not in shown
