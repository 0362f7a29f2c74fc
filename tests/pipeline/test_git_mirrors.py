"""The user's mirrors: new clones are copied from them, and depend on them in nothing."""

from __future__ import annotations

import logging
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import WorkPaths
from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.git.remotes import listed_once
from tests.support.builders import (
    commit_in,
    commit_to,
    component_files,
    git,
    git_succeeds,
    url_of,
)
from tests.support.scenarios.dependencies import (
    Workspace,
    backups,
    component,
    configuration,
    head,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.model.dependency import Dependency, DependencySpec


class Shared(Workspace):
    """Working directories beside each other, and the mirrors of their user."""

    @property
    def mirrors(self) -> Path:
        return self.root / "cache" / "git"

    def mirror(self, repository: Path) -> Path:
        return self.mirrors / str(repository).strip("/")

    def place_in(self, work: str, name: str) -> Path:
        return self.root / work / "dependencies" / name

    def bare_in(self, work: str, repository: Path) -> Path:
        return self.root / work / "dependencies/.repos" / str(repository).strip("/")

    def fetch_in(
        self,
        work: str,
        *specs: DependencySpec,
        **settings: Any,  # noqa: ANN401 - Config checks them by name
    ) -> tuple[Dependency, ...]:
        paths = WorkPaths(self.root / work)
        return self.fetch(*specs, **{"paths": paths, "git_cache": self.mirrors, **settings})


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path)


@pytest.fixture
def foo(shared: Shared) -> Path:
    """A component with two branches and tags of both kinds."""
    repository = shared.repository("foo")
    git(repository, "branch", "feat/x", "master")
    commit_to(repository, {"new.txt": "x"}, branch="feat/x")
    tag(repository, "v1.0.0")
    git(repository, "tag", "light", "feat/x")
    return repository


def refs_in(repository: Path) -> str:
    return git(repository, "for-each-ref")


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


def test_second_working_directory_shares_objects(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    shared.fetch_in("two", component(foo))

    packs = [
        sorted(file.stat().st_ino for file in (repository / "objects/pack").glob("*.pack"))
        for repository in (shared.mirror(foo), *(shared.bare_in(w, foo) for w in ("one", "two")))
    ]
    assert packs[0]
    assert packs[0] == packs[1] == packs[2]


def test_clone_from_mirror_equals_direct_clone(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo), git_cache=None)
    shared.fetch_in("other", component(foo))

    shared.fetch_in("two", component(foo))
    shutil.rmtree(shared.mirrors)

    one, two = shared.bare_in("one", foo), shared.bare_in("two", foo)
    assert refs_in(two) == refs_in(one)
    settings = [sorted(git(clone, "config", "--local", "--list").split()) for clone in (one, two)]
    assert settings[0] == settings[1]
    assert (two / "HEAD").read_text() == (one / "HEAD").read_text()
    for clone in (two, shared.place_in("two", "foo")):
        assert git(clone, "fsck", "--full", "--strict") == ""
    assert git(shared.place_in("two", "foo"), "log", "--oneline")
    assert head(shared.place_in("two", "foo")) == head(shared.place_in("one", "foo"))


@pytest.mark.parametrize("version", ["master", "feat/x", "v1.0.0", "light", "feat/x~1", "commit"])
def test_mirror_is_fetched_for_new_commits(shared: Shared, foo: Path, version: str) -> None:
    shared.fetch_in("one", component(foo))
    for branch in ("master", "feat/x"):
        commit_to(foo, {"later.txt": branch}, branch=branch)
    tag(foo, "v1.0.0")
    git(foo, "tag", "--force", "light", "feat/x")
    commit = git(foo, "rev-parse", "master" if version == "commit" else f"{version}^{{commit}}")

    (got,) = shared.fetch_in("two", component(foo, commit if version == "commit" else version))

    assert got.commit == head(shared.place_in("two", "foo")) == commit


def test_deleted_branches_are_not_in_new_clones(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    git(foo, "branch", "--delete", "--force", "feat/x")
    commit_to(foo, {"later.txt": "later"})

    shared.fetch_in("two", component(foo))

    assert "refs/remotes/origin/feat/x" not in refs_in(shared.bare_in("two", foo))


def test_moved_tag_is_not_reported_for_new_clone(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared.fetch_in("one", component(foo, "v1.0.0"))
    tag(foo, "v1.0.0", at="feat/x")

    (got,) = shared.fetch_in("two", component(foo, "v1.0.0"))

    assert got.commit == git(foo, "rev-parse", "feat/x")
    assert warnings_in(caplog) == []


def test_local_work_does_not_reach_mirror(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    place, clone = shared.place_in("one", "foo"), shared.bare_in("one", foo)
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "branch", "private")
    rewrite_history(foo, component_files("foo") | {"theirs.txt": "theirs"})

    shared.fetch_in("one", component(foo), force=True)
    shared.fetch_in("two", component(foo))

    assert backups(clone)
    mirror = shared.mirror(foo)
    assert not git_succeeds(mirror, "cat-file", "-e", mine)
    assert git_succeeds(mirror, "cat-file", "-e", git(foo, "rev-parse", "master"))


def test_mirrors_are_private(shared: Shared, foo: Path) -> None:
    before = os.umask(0)
    try:
        shared.fetch_in("one", component(foo))
    finally:
        os.umask(before)

    modes = [one.stat().st_mode & 0o777 for one in (shared.mirrors, shared.mirror(foo))]
    assert modes == [0o700, 0o700]
    assert str(foo) not in (shared.mirror(foo) / "config").read_text()


def truncated(mirror: Path) -> None:
    (pack,) = (mirror / "objects/pack").glob("*.pack")
    pack.chmod(0o600)
    os.truncate(pack, 40)


def without_pack(mirror: Path) -> None:
    (pack,) = (mirror / "objects/pack").glob("*.pack")
    pack.unlink()


def without_refs(mirror: Path) -> None:
    shutil.rmtree(mirror / "refs")


@pytest.mark.parametrize("damage", [truncated, without_pack, without_refs])
@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.long
def test_damaged_mirror_is_replaced(
    shared: Shared,
    foo: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[Path], None],
    *,
    moved: bool,
) -> None:
    shared.fetch_in("one", component(foo), git_cache=None)
    shared.fetch_in("other", component(foo))
    damage(shared.mirror(foo))
    if moved:
        commit_to(foo, {"later.txt": "later"})

    (got,) = shared.fetch_in("two", component(foo))
    (again,) = shared.fetch_in("three", component(foo))

    (warning,) = warnings_in(caplog)
    assert warning.startswith(f"the mirror in {shared.mirror(foo)} is damaged, and removed")
    assert got.commit == again.commit == git(foo, "rev-parse", "master")
    assert git(shared.bare_in("two", foo), "fsck", "--full") == ""


@pytest.mark.parametrize("damage", [truncated, without_pack, without_refs])
def test_damaged_mirror_of_configuration_is_replaced(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
) -> None:
    with listed_once():
        for work in ("one", "two"):
            shared.fetch_in(work, configuration(foo))
        damage(shared.mirror(foo))
        (got,) = shared.fetch_in("three", configuration(foo))

    (warning,) = warnings_in(caplog)
    assert warning.startswith(f"the mirror in {shared.mirror(foo)} is damaged, and removed")
    assert got.commit == git(foo, "rev-parse", "master")
    assert git(got.directory, "status", "--porcelain") == ""


def test_unreachable_remote_does_not_blame_mirror(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared.fetch_in("one", component(foo))
    foo.rename(foo.with_name("away.git"))

    (error,) = shared.refused(
        component(foo), paths=WorkPaths(shared.root / "two"), git_cache=shared.mirrors
    )

    assert "cannot fetch component foo" in str(error)
    assert warnings_in(caplog) == []
    assert shared.mirror(foo).is_dir()


def test_run_without_room_for_mirrors(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (shared.root / "cache").write_text("in the way")

    (got,) = shared.fetch_in("one", component(foo))

    assert got.commit == git(foo, "rev-parse", "master")
    assert warnings_in(caplog) == []


@pytest.mark.long
def test_concurrent_runs(shared: Shared, foo: Path) -> None:
    repositories = [foo, shared.repository("bar")]
    runs = [f"run-{number}" for number in range(6)]
    specs = [component(repository) for repository in repositories]

    with ThreadPoolExecutor(len(runs)) as pool:
        results = list(pool.map(lambda run: shared.fetch_in(run, *specs), runs))

    assert {tuple(one.commit for one in result) for result in results} == {
        tuple(git(repository, "rev-parse", "master") for repository in repositories)
    }
    for repository in repositories:
        assert git(shared.mirror(repository), "fsck", "--full") == ""
        for run in runs:
            assert git(shared.bare_in(run, repository), "fsck", "--full") == ""


def test_mirror_in_use_is_neither_awaited_nor_removed(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    mirrors, clone = Mirrors(shared.mirrors, patience=0.1), shared.root / "clone"

    with mirrors.locked(shared.mirror(foo), patience=0):
        copied = mirrors.copy(component(foo).url, clone, {"master"}, None)
        dropped = mirrors.drop(shared.mirror(foo))

    assert not copied
    assert not dropped
    assert not clone.exists()
    assert shared.mirror(foo).is_dir()


def test_mirror_left_by_killed_run_is_replaced(shared: Shared, foo: Path) -> None:
    left = shared.mirror(foo).with_name(f".{foo.name}.new")
    (left / "objects").mkdir(parents=True)

    shared.fetch_in("one", component(foo))

    assert not left.exists()
    assert list(Mirrors(shared.mirrors).entries()) == [shared.mirror(foo)]


def test_remote_below_the_path_of_another(workspace: Workspace) -> None:
    cache = workspace.root / "cache/git"
    outer = workspace.repository("foo")
    inner = workspace.repository("foo.git/inner", component_files("inner"))

    for specs in ((inner, "inner"), (outer, "foo")), ((outer, "foo"), (inner, "inner")):
        for remote, name in specs:
            workspace.fetch(component(remote, name=name), git_cache=cache)

    for name in ("foo", "inner"):
        assert git(workspace.place(name), "fsck", "--no-dangling") == ""
    assert Mirrors(cache).has(url_of(outer))
    assert Mirrors(cache).has(url_of(inner))
    assert Mirrors(cache).drop(Mirrors(cache).place(url_of(outer)))
    assert Mirrors(cache).has(url_of(inner))
