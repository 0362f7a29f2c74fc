"""Nobody's work is lost when components and packages are brought to another version."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.fetch import fetcher
from commodore_py.model.dependency import Kind
from tests.support.builders import (
    commit_in,
    commit_to,
    component_files,
    git,
    make_config,
    url_of,
)
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
    from pathlib import Path

    from commodore_py.errors import CommodoreError


@pytest.fixture
def foo(workspace: Workspace) -> Path:
    return workspace.repository("foo")


@pytest.fixture
def place(workspace: Workspace, foo: Path) -> Path:
    """The worktree of a component, freshly fetched."""
    workspace.fetch(component(foo))
    return workspace.place("foo")


def backed_up(repository: Path, name: str) -> str:
    """A file in a backup."""
    (ref,) = backups(repository)
    return git(repository, "show", f"{ref}:{name}")


def messages(errors: tuple[CommodoreError, ...]) -> list[tuple[str, str]]:
    """What was said, and about which folder."""
    return [(str(error), error.where.rpartition("/")[2]) for error in errors]


def test_edited_files_stop_run(workspace: Workspace, foo: Path, place: Path) -> None:
    (place / "class/foo.yml").write_text("edited")
    (place / "class/defaults.yml").unlink()
    commit_to(foo, {"new.txt": "new"})
    before = head(place)

    (error,) = workspace.refused(component(foo))

    assert str(error) == (
        "component foo holds local work: deleted class/defaults.yml; modified class/foo.yml"
    )
    assert error.where == str(place)
    assert "--force" in error.hint
    assert (head(place), (place / "class/foo.yml").read_text()) == (before, "edited")


def test_new_files_stay_where_they_are(workspace: Workspace, foo: Path, place: Path) -> None:
    (place / "mine.txt").write_text("mine")
    commit = commit_to(foo, {"new.txt": "new"})

    workspace.fetch(component(foo))

    assert head(place) == commit
    assert (place / "mine.txt").read_text() == "mine"


def test_ignored_files_stay_where_they_are(workspace: Workspace, foo: Path) -> None:
    commit_to(foo, {".gitignore": "*.log\n"})
    workspace.fetch(component(foo))
    (workspace.place("foo") / "mine.log").write_text("mine")
    commit_to(foo, {"new.txt": "new"})

    workspace.fetch(component(foo))

    assert (workspace.place("foo") / "mine.log").read_text() == "mine"


@pytest.mark.parametrize("detached", [False, True])
def test_unpushed_commit_stops_fetch(
    workspace: Workspace, foo: Path, place: Path, *, detached: bool
) -> None:
    if detached:
        git(place, "checkout", "--quiet", "--detach")
    mine = commit_in(place, {"mine.txt": "mine"})

    (error,) = workspace.refused(component(foo))

    assert f"commit {mine[:7]} Mine" in str(error)
    assert head(place) == mine


def test_pushed_commit_is_not_local_work(workspace: Workspace, foo: Path, place: Path) -> None:
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "push", "--quiet", "origin", "HEAD:master")

    (got,) = workspace.fetch(component(foo))

    assert got.commit == mine
    assert branch(place) == "master"


def test_pushed_commit_of_deleted_branch_is_not_local_work(workspace: Workspace, foo: Path) -> None:
    git(foo, "branch", "feat", "master")
    workspace.fetch(component(foo, "feat"))
    commit_in(workspace.place("foo"), {"mine.txt": "mine"})
    git(workspace.place("foo"), "push", "--quiet", "origin", "HEAD:feat")
    workspace.fetch(component(foo, "feat"))
    git(foo, "branch", "-D", "feat")
    workspace.refused(component(foo, "feat"))

    (got,) = workspace.fetch(component(foo))

    assert head(workspace.place("foo")) == got.commit == git(foo, "rev-parse", "master")


def test_force_backs_up_local_work_in_ref(
    workspace: Workspace, foo: Path, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mine = commit_in(place, {"committed.txt": "committed"})
    (place / "class/foo.yml").write_text("edited")
    (place / "untracked.txt").write_text("untracked")

    (got,) = workspace.fetch(component(foo), force=True)

    bare = workspace.bare(foo)
    assert head(place) == got.commit == git(foo, "rev-parse", "master")
    assert backed_up(bare, "class/foo.yml") == "edited"
    assert backed_up(bare, "untracked.txt") == "untracked"
    assert backed_up(bare, "committed.txt") == "committed"
    assert git(bare, "merge-base", "--is-ancestor", mine, backups(bare)[0]) == ""
    assert f"git -C {bare} show --stat {backups(bare)[0]}" in caplog.text
    assert workspace.fetch(component(foo)) == (got,)


def test_commits_of_moved_local_branch_are_backed_up(
    workspace: Workspace, foo: Path, place: Path
) -> None:
    git(foo, "branch", "other", "master")
    git(place, "checkout", "--quiet", "-b", "other")
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "checkout", "--quiet", "master")

    workspace.fetch(component(foo, "other"))

    (ref,) = backups(workspace.bare(foo))
    assert git(workspace.bare(foo), "rev-parse", ref) == mine
    assert head(place) == git(foo, "rev-parse", "other")


@pytest.mark.parametrize("then", ["nothing", "a clone"])
def test_unpushed_commits_of_deleted_worktree_are_backed_up(
    workspace: Workspace, foo: Path, place: Path, caplog: pytest.LogCaptureFixture, then: str
) -> None:
    git(place, "checkout", "--quiet", "--detach")
    mine = commit_in(place, {"mine.txt": "mine"})
    shutil.rmtree(place)
    if then == "a clone":
        _clone(workspace, foo)

    workspace.fetch(component(foo))

    (ref,) = backups(workspace.bare(foo))
    assert git(workspace.bare(foo), "rev-parse", ref) == mine
    assert f"git -C {workspace.bare(foo)} log {ref}" in caplog.text
    assert head(place) == git(foo, "rev-parse", "master")


def test_deleted_worktree_without_commits_leaves_no_backup(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo, git(foo, "rev-parse", "master")))
    rewrite_history(foo, component_files("foo"))
    shutil.rmtree(workspace.place("foo"))

    workspace.fetch(component(foo))

    assert backups(workspace.bare(foo)) == []


def test_untracked_file_is_not_overwritten(workspace: Workspace, foo: Path, place: Path) -> None:
    (place / "new.txt").write_text("mine")
    commit_to(foo, {"new.txt": "theirs"})

    (error,) = workspace.refused(component(foo))

    assert str(error) == (
        "component foo holds local work in the way of version master: untracked new.txt"
    )
    assert error.where == str(place)
    assert (place / "new.txt").read_text() == "mine"


def test_force_backs_up_untracked_file(workspace: Workspace, foo: Path, place: Path) -> None:
    (place / "new.txt").write_text("mine")
    commit_to(foo, {"new.txt": "theirs"})

    workspace.fetch(component(foo), force=True)

    assert (place / "new.txt").read_text() == "theirs"
    assert backed_up(workspace.bare(foo), "new.txt") == "mine"


def test_changed_repository_keeps_checkout_with_local_work(
    workspace: Workspace, foo: Path, place: Path
) -> None:
    (place / "mine.txt").write_text("mine")
    fork = workspace.repository("fork", component_files("foo"))

    (error,) = workspace.refused(component(fork, name="foo"))

    assert str(error) == (
        f"component foo holds local work, and its repository changed from {url_of(foo)}"
        f" to {url_of(fork)}: untracked mine.txt"
    )
    assert (place / "mine.txt").read_text() == "mine"


def test_force_replaces_checkout_of_changed_repository(
    workspace: Workspace, foo: Path, place: Path
) -> None:
    (place / "mine.txt").write_text("mine")
    fork = workspace.repository("fork", component_files("foo", fork__txt="fork"))

    workspace.fetch(component(fork, name="foo"), force=True)

    assert head(place) == git(fork, "rev-parse", "master")
    assert backed_up(workspace.bare(foo), "mine.txt") == "mine"


def _clone(workspace: Workspace, foo: Path) -> Path:
    place = workspace.place("foo")
    place.parent.mkdir(parents=True, exist_ok=True)
    git(workspace.work, "clone", "--quiet", url_of(foo), str(place))
    return place


@pytest.mark.parametrize("work", ["untracked file", "commit elsewhere", "stash"])
def test_clone_with_local_work_is_moved_only_by_force(
    workspace: Workspace, foo: Path, work: str
) -> None:
    place = _clone(workspace, foo)
    if work == "commit elsewhere":
        git(place, "checkout", "--quiet", "-b", "mine")
        commit_in(place, {"mine.txt": "mine"})
        git(place, "checkout", "--quiet", "master")
    else:
        (place / "mine.txt").write_text("mine")
    if work == "stash":
        git(place, "-c", "user.name=x", "-c", "user.email=x", "stash", "-u", "--quiet")

    (error,) = workspace.refused(component(foo))
    workspace.fetch(component(foo), force=True)

    assert f"a clone of {url_of(foo)} must make room for a worktree" in str(error)
    assert (place / ".git").is_file()
    (aside,) = (workspace.work / "dependencies/.put-aside").iterdir()
    what = {"untracked file": ":/", "commit elsewhere": "mine", "stash": "stash"}[work]
    if work == "untracked file":
        assert (aside / "mine.txt").read_text() == "mine"
    else:
        assert git(aside, "log", "-1", "--format=%H", what)


@pytest.mark.parametrize("force", [False, True])
def test_dependency_folder_that_is_not_a_checkout_is_kept(
    workspace: Workspace, foo: Path, *, force: bool
) -> None:
    # The folder is in a repository of the user's, which must not be taken for ours.
    git(workspace.root, "init", "--quiet")
    place = workspace.place("foo")
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine")

    (error,) = workspace.refused(component(foo), force=force)

    assert (
        str(error) == "component foo: the folder is not a Git checkout; nothing in it was touched"
    )
    assert (error.where, error.hint) == (
        str(place),
        "move it away; it is checked out again by the next run",
    )
    assert [path.name for path in place.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_linked_clone_is_refused_without_local_mode(
    workspace: Workspace, foo: Path, *, force: bool
) -> None:
    git(workspace.root, "clone", "--quiet", url_of(foo), "elsewhere")
    elsewhere = workspace.root / "elsewhere"
    workspace.place("foo").parent.mkdir(parents=True)
    workspace.place("foo").symlink_to(elsewhere)
    before = head(elsewhere)
    commit_to(foo, {"new.txt": "new"})

    (error,) = workspace.refused(component(foo), force=force)

    assert str(error) == (
        f"component foo: the checkout is a link to {elsewhere}, which was not touched"
    )
    assert "--local" in error.hint
    assert head(elsewhere) == before


def test_all_problems_are_reported_before_changes(workspace: Workspace, foo: Path) -> None:
    tenant = workspace.repository("tenant", {"common.yml": "{}"})
    bar, clean = workspace.repository("bar"), workspace.repository("clean")
    specs = (
        component(foo),
        instance(component(foo), "foo-2"),
        component(bar),
        component(clean),
        package(clean, name="pack"),
        configuration(tenant, kind=Kind.TENANT),
    )
    workspace.fetch(*specs)
    for name in ("foo", "foo-2", "pkg.pack"):
        (workspace.place(name) / "class/defaults.yml").write_text("edited")
    commit_in(workspace.work / "inventory/classes/t-acme", {"common.yml": "mine"})
    workspace.place("bar").rename(workspace.root / "bar")
    workspace.place("bar").symlink_to(workspace.root / "bar")
    before = head(workspace.place("clean"))
    for repository in (foo, bar, clean):
        commit_to(repository, {"new.txt": "new"})

    errors = workspace.refused(*specs)
    forced = workspace.refused(*specs, force=True)

    assert [folder for _, folder in messages(errors)] == [
        "foo",
        "foo-2",
        "bar",
        "pkg.pack",
        "t-acme",
    ]
    assert [folder for _, folder in messages(forced)] == ["bar"]
    assert head(workspace.place("clean")) == before
    assert (workspace.place("foo") / "class/defaults.yml").read_text() == "edited"
    assert backups(workspace.bare(foo)) == []
    assert git(workspace.bare(clean), "rev-parse", "refs/remotes/origin/master") == before


def test_unpushed_commit_used_as_version_is_local_work(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    mine = commit_in(workspace.place("foo"), {"mine.txt": "mine"})

    (pinned,) = workspace.refused(component(foo, mine))

    assert f"commit {mine[:7]}" in str(pinned)


def test_copied_working_directory_has_own_worktrees(workspace: Workspace, foo: Path) -> None:
    tenant = configuration(workspace.repository("global", {"common.yml": "{}"}))
    tag(foo, "v1", at="master")
    workspace.fetch(tenant)
    workspace.fetch(component(foo))
    copy = workspace.root / "copy"
    shutil.copytree(workspace.work, copy, symlinks=True)
    before = git(workspace.place("foo"), "status", "--branch", "--porcelain")

    fetch = fetcher(make_config(copy))
    fetch([tenant])
    fetch([component(foo, "v1")])

    assert git(workspace.place("foo"), "status", "--branch", "--porcelain") == before
    assert branch(copy / "dependencies/foo") == "HEAD"


def test_commit_with_local_tag_is_local_work(workspace: Workspace, foo: Path) -> None:
    place = workspace.place("foo")
    place.parent.mkdir(parents=True)
    git(workspace.root, "clone", "--quiet", str(foo), str(place))
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "tag", "wip")

    (error,) = workspace.refused(component(foo))

    assert f"commit {mine[:7]}" in str(error)


def test_repository_inside_replaced_checkout_is_kept(workspace: Workspace, foo: Path) -> None:
    workspace.fetch(component(foo))
    (workspace.place("foo") / ".gitignore").write_text("")
    inner = workspace.place("foo") / "inner"
    git(workspace.root, "init", "--quiet", str(inner))
    commit_in(inner, {"mine.txt": "mine"})
    fork = workspace.repository("fork", component_files("foo", fork__txt="fork"))

    workspace.fetch(component(fork, name="foo"), force=True)

    (kept,) = workspace.work.rglob("mine.txt")
    assert kept.read_text() == "mine"


def test_component_and_package_on_one_branch(workspace: Workspace) -> None:
    remote = workspace.repository("mono")
    specs = (package(remote), component(remote))
    for spec in specs:
        workspace.fetch(spec)
    # Commodore has several worktrees on one branch.
    git(workspace.place("mono"), "checkout", "--quiet", "--ignore-other-worktrees", "master")
    commit = commit_to(remote, {"new.txt": "new"})

    got = [workspace.fetch(spec)[0] for spec in specs]

    assert [one.commit for one in got] == [commit, commit]
