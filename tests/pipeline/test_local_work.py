"""Nobody's work is lost when components and packages are brought to another version."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.model.dependency import Kind
from tests.support.builders import commit_in, commit_to, component_files, git, url_of
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
)

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.errors import CommodoreError


@pytest.fixture
def world(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.fixture
def foo(world: Workspace) -> Path:
    return world.repository("foo")


@pytest.fixture
def place(world: Workspace, foo: Path) -> Path:
    """The worktree of a component, freshly fetched."""
    world.fetch(component(foo))
    return world.place("foo")


def kept(repository: Path, name: str) -> str:
    """A file of what was put aside."""
    (ref,) = backups(repository)
    return git(repository, "show", f"{ref}:{name}")


def told(errors: tuple[CommodoreError, ...]) -> list[tuple[str, str]]:
    """What was said, and about which folder."""
    return [(str(error), error.where.rpartition("/")[2]) for error in errors]


@pytest.mark.spec("03.09")
def test_edited_files_stop_the_run(world: Workspace, foo: Path, place: Path) -> None:
    (place / "class/foo.yml").write_text("edited")
    (place / "class/defaults.yml").unlink()
    commit_to(foo, {"new.txt": "new"})
    before = head(place)

    (error,) = world.refused(component(foo))

    assert str(error) == (
        "component foo holds local work: deleted class/defaults.yml; modified class/foo.yml"
    )
    assert error.where == str(place)
    assert "--force" in error.hint
    assert (head(place), (place / "class/foo.yml").read_text()) == (before, "edited")


@pytest.mark.spec("03.10")
def test_new_files_stay_where_they_are(world: Workspace, foo: Path, place: Path) -> None:
    (place / "mine.txt").write_text("mine")
    commit = commit_to(foo, {"new.txt": "new"})

    world.fetch(component(foo))

    assert head(place) == commit
    assert (place / "mine.txt").read_text() == "mine"


def test_ignored_files_stay_where_they_are(world: Workspace, foo: Path) -> None:
    commit_to(foo, {".gitignore": "*.log\n"})
    world.fetch(component(foo))
    (world.place("foo") / "mine.log").write_text("mine")
    commit_to(foo, {"new.txt": "new"})

    world.fetch(component(foo))

    assert (world.place("foo") / "mine.log").read_text() == "mine"


@pytest.mark.parametrize("detached", [False, True])
def test_a_commit_of_the_users_stops_the_run(
    world: Workspace, foo: Path, place: Path, *, detached: bool
) -> None:
    if detached:
        git(place, "checkout", "--quiet", "--detach")
    mine = commit_in(place, {"mine.txt": "mine"})

    (error,) = world.refused(component(foo))

    assert f"commit {mine[:7]} Mine" in str(error)
    assert head(place) == mine


def test_a_pushed_commit_is_no_local_work(world: Workspace, foo: Path, place: Path) -> None:
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "push", "--quiet", "origin", "HEAD:master")

    (got,) = world.fetch(component(foo))

    assert got.commit == mine
    assert branch(place) == "master"


def test_a_pushed_commit_is_no_local_work_when_its_branch_is_deleted(
    world: Workspace, foo: Path
) -> None:
    git(foo, "branch", "feat", "master")
    world.fetch(component(foo, "feat"))
    commit_in(world.place("foo"), {"mine.txt": "mine"})
    git(world.place("foo"), "push", "--quiet", "origin", "HEAD:feat")
    world.fetch(component(foo, "feat"))
    git(foo, "branch", "-D", "feat")
    world.refused(component(foo, "feat"))

    (got,) = world.fetch(component(foo))

    assert head(world.place("foo")) == got.commit == git(foo, "rev-parse", "master")


def test_force_keeps_everything_under_a_ref(
    world: Workspace, foo: Path, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mine = commit_in(place, {"committed.txt": "committed"})
    (place / "class/foo.yml").write_text("edited")
    (place / "untracked.txt").write_text("untracked")

    (got,) = world.fetch(component(foo), force=True)

    bare = world.bare(foo)
    assert head(place) == got.commit == git(foo, "rev-parse", "master")
    assert kept(bare, "class/foo.yml") == "edited"
    assert kept(bare, "untracked.txt") == "untracked"
    assert kept(bare, "committed.txt") == "committed"
    assert git(bare, "merge-base", "--is-ancestor", mine, backups(bare)[0]) == ""
    assert f"git -C {bare} show --stat {backups(bare)[0]}" in caplog.text
    assert world.fetch(component(foo)) == (got,)


def test_a_branch_moved_by_a_checkout_keeps_its_own_commits(
    world: Workspace, foo: Path, place: Path
) -> None:
    git(foo, "branch", "other", "master")
    git(place, "checkout", "--quiet", "-b", "other")
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "checkout", "--quiet", "master")

    world.fetch(component(foo, "other"))

    (ref,) = backups(world.bare(foo))
    assert git(world.bare(foo), "rev-parse", ref) == mine
    assert head(place) == git(foo, "rev-parse", "other")


@pytest.mark.parametrize("then", ["nothing", "a clone"])
def test_a_deleted_worktree_leaves_the_commits_that_only_it_had(
    world: Workspace, foo: Path, place: Path, caplog: pytest.LogCaptureFixture, then: str
) -> None:
    git(place, "checkout", "--quiet", "--detach")
    mine = commit_in(place, {"mine.txt": "mine"})
    shutil.rmtree(place)
    if then == "a clone":
        _clone(world, foo)

    world.fetch(component(foo))

    (ref,) = backups(world.bare(foo))
    assert git(world.bare(foo), "rev-parse", ref) == mine
    assert f"git -C {world.bare(foo)} log {ref}" in caplog.text
    assert head(place) == git(foo, "rev-parse", "master")


def test_a_deleted_worktree_without_commits_of_its_own_leaves_nothing(
    world: Workspace, foo: Path
) -> None:
    world.fetch(component(foo, git(foo, "rev-parse", "master")))
    rewrite_history(foo, component_files("foo"))
    shutil.rmtree(world.place("foo"))

    world.fetch(component(foo))

    assert backups(world.bare(foo)) == []


def test_an_untracked_file_in_the_way_is_not_overwritten(
    world: Workspace, foo: Path, place: Path
) -> None:
    (place / "new.txt").write_text("mine")
    commit_to(foo, {"new.txt": "theirs"})

    (error,) = world.refused(component(foo))

    assert str(error) == (
        "component foo holds local work in the way of version master: untracked new.txt"
    )
    assert error.where == str(place)
    assert (place / "new.txt").read_text() == "mine"


def test_an_untracked_file_in_the_way_is_put_aside_by_force(
    world: Workspace, foo: Path, place: Path
) -> None:
    (place / "new.txt").write_text("mine")
    commit_to(foo, {"new.txt": "theirs"})

    world.fetch(component(foo), force=True)

    assert (place / "new.txt").read_text() == "theirs"
    assert kept(world.bare(foo), "new.txt") == "mine"


@pytest.mark.spec("05.11")
def test_another_repository_does_not_take_a_place_with_work(
    world: Workspace, foo: Path, place: Path
) -> None:
    (place / "mine.txt").write_text("mine")
    fork = world.repository("fork", component_files("foo"))

    (error,) = world.refused(component(fork, name="foo"))

    assert str(error) == (
        f"component foo holds local work, and its repository changed from {url_of(foo)}"
        f" to {url_of(fork)}: untracked mine.txt"
    )
    assert (place / "mine.txt").read_text() == "mine"


@pytest.mark.spec("05.11")
def test_another_repository_takes_a_place_by_force(
    world: Workspace, foo: Path, place: Path
) -> None:
    (place / "mine.txt").write_text("mine")
    fork = world.repository("fork", component_files("foo", fork__txt="fork"))

    world.fetch(component(fork, name="foo"), force=True)

    assert head(place) == git(fork, "rev-parse", "master")
    assert kept(world.bare(foo), "mine.txt") == "mine"


def _clone(world: Workspace, foo: Path) -> Path:
    place = world.place("foo")
    place.parent.mkdir(parents=True, exist_ok=True)
    git(world.work, "clone", "--quiet", url_of(foo), str(place))
    return place


@pytest.mark.parametrize("work", ["untracked file", "commit elsewhere", "stash"])
def test_a_clone_with_work_makes_room_by_force_only(world: Workspace, foo: Path, work: str) -> None:
    place = _clone(world, foo)
    if work == "commit elsewhere":
        git(place, "checkout", "--quiet", "-b", "mine")
        commit_in(place, {"mine.txt": "mine"})
        git(place, "checkout", "--quiet", "master")
    else:
        (place / "mine.txt").write_text("mine")
    if work == "stash":
        git(place, "-c", "user.name=x", "-c", "user.email=x", "stash", "-u", "--quiet")

    (error,) = world.refused(component(foo))
    world.fetch(component(foo), force=True)

    assert f"a clone of {url_of(foo)} must make room for a worktree" in str(error)
    assert (place / ".git").is_file()
    (aside,) = (world.work / "dependencies/.put-aside").iterdir()
    what = {"untracked file": ":/", "commit elsewhere": "mine", "stash": "stash"}[work]
    if work == "untracked file":
        assert (aside / "mine.txt").read_text() == "mine"
    else:
        assert git(aside, "log", "-1", "--format=%H", what)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.spec("05.08")
def test_a_folder_that_is_no_checkout_is_left_alone(
    world: Workspace, foo: Path, *, force: bool
) -> None:
    # The folder lies in a repository of the user's, which must not be other_kind_error for ours.
    git(world.root, "init", "--quiet")
    place = world.place("foo")
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine")

    (error,) = world.refused(component(foo), force=force)

    assert str(error) == "component foo: the folder is no Git checkout; nothing in it was touched"
    assert (error.where, error.hint) == (
        str(place),
        "move it away; it will be checked out anew",
    )
    assert [path.name for path in place.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.spec("05.09")
def test_a_link_to_a_clone_elsewhere_is_left_alone(
    world: Workspace, foo: Path, *, force: bool
) -> None:
    git(world.root, "clone", "--quiet", url_of(foo), "elsewhere")
    elsewhere = world.root / "elsewhere"
    world.place("foo").parent.mkdir(parents=True)
    world.place("foo").symlink_to(elsewhere)
    before = head(elsewhere)
    commit_to(foo, {"new.txt": "new"})

    (error,) = world.refused(component(foo), force=force)

    assert str(error) == (
        f"component foo: the checkout is a link to {elsewhere}, which was not touched"
    )
    assert "--local" in error.hint
    assert head(elsewhere) == before


@pytest.mark.spec("03.09")
def test_all_problems_are_told_before_anything_changes(world: Workspace, foo: Path) -> None:
    tenant = world.repository("tenant", {"common.yml": "{}"})
    bar, clean = world.repository("bar"), world.repository("clean")
    specs = (
        component(foo),
        instance(component(foo), "foo-2"),
        component(bar),
        component(clean),
        package(clean, name="pack"),
        configuration(tenant, kind=Kind.TENANT),
    )
    world.fetch(*specs)
    for name in ("foo", "foo-2", "pkg.pack"):
        (world.place(name) / "class/defaults.yml").write_text("edited")
    commit_in(world.work / "inventory/classes/t-acme", {"common.yml": "mine"})
    world.place("bar").rename(world.root / "bar")
    world.place("bar").symlink_to(world.root / "bar")
    before = head(world.place("clean"))
    for repository in (foo, bar, clean):
        commit_to(repository, {"new.txt": "new"})

    errors = world.refused(*specs)
    forced = world.refused(*specs, force=True)

    assert [folder for _, folder in told(errors)] == ["foo", "foo-2", "bar", "pkg.pack", "t-acme"]
    assert [folder for _, folder in told(forced)] == ["bar"]
    assert head(world.place("clean")) == before
    assert (world.place("foo") / "class/defaults.yml").read_text() == "edited"
    assert backups(world.bare(foo)) == []
    assert git(world.bare(clean), "rev-parse", "refs/remotes/origin/master") == before
