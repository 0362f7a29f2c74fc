"""The catalog's checkout before a compile: at its remote's tip, with nobody's work lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.catalog.checkout import fetch_catalog
from commodore_py.errors import CommodoreError
from tests.support.builders import (
    commit_in,
    commit_to,
    git,
    git_succeeds,
    make_cluster,
    make_config,
    make_repository,
    url_of,
)
from tests.support.scenarios.dependencies import backups, branch, head

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.catalog import CatalogHead

WHO = ("-c", "user.name=Test Author", "-c", "user.email=author@example.com")
FILES = {"README.md": "ours\n", "manifests/foo/cm.yaml": "a: 1\n", ".gitignore": "*.swp\n"}


@dataclass(frozen=True)
class World:
    """A catalog's repository and its checkout."""

    root: Path

    @property
    def place(self) -> Path:
        """The checkout."""
        return self.root / "work/catalog"

    def fetch(self, repository: Path, **settings: Any) -> CatalogHead:  # noqa: ANN401 - Config checks them by name
        """What a run does to the checkout."""
        config = make_config(self.root / "work", **settings)
        return fetch_catalog(config, make_cluster(catalog_url=url_of(repository)))

    def refused(self, repository: Path, **settings: Any) -> CommodoreError:  # noqa: ANN401 - as above
        """The failure of a run that must fail."""
        with pytest.raises(CommodoreError) as caught:
            self.fetch(repository, **settings)
        return caught.value

    def files(self) -> set[str]:
        """What lies in the checkout."""
        found = (p for p in self.place.rglob("*") if p.is_file())
        return {str(p.relative_to(self.place)) for p in found if ".git" not in p.parts}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def remote(world: World) -> Path:
    return make_repository(world.root / "catalog.git", FILES)


def leftovers(place: Path) -> None:
    """What a run that was not pushed leaves: changed, added and removed files, all staged."""
    (place / "manifests/foo/cm.yaml").write_text("a: 2\n")
    (place / "manifests/bar").mkdir()
    (place / "manifests/bar/cm.yaml").write_text("b: 1\n")
    (place / "refs").mkdir()
    (place / "refs/secret").write_text("c: 1\n")
    git(place, "add", "--all")


def test_a_fresh_catalog_is_cloned(world: World, remote: Path) -> None:
    got = world.fetch(remote)

    commit = git(remote, "rev-parse", "master")
    assert (got.directory, got.url, got.branch, got.commit) == (
        world.place,
        url_of(remote),
        "master",
        commit,
    )
    assert world.files() == set(FILES)
    assert git(world.place, "status", "--porcelain") == ""


def test_a_catalog_is_updated_in_place(world: World, remote: Path) -> None:
    world.fetch(remote)
    commit = commit_to(remote, {"manifests/foo/cm.yaml": "a: 3\n"})
    before = (world.place / ".git").stat().st_ino

    got = world.fetch(remote)

    assert got.commit == head(world.place) == commit
    assert (world.place / "manifests/foo/cm.yaml").read_text() == "a: 3\n"
    assert (world.place / ".git").stat().st_ino == before


@pytest.mark.parametrize("name", ["master", "main"])
@pytest.mark.spec("03.14")
def test_an_empty_catalog_begins_where_its_remote_says(
    world: World, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    remote = make_repository(world.root / "empty.git", {}, branch=name)

    heads = [world.fetch(remote) for _ in range(2)]

    assert [(got.branch, got.commit) for got in heads] == [(name, None)] * 2
    assert git(world.place, "symbolic-ref", "HEAD") == f"refs/heads/{name}"
    assert f"the catalog has no commit yet: it begins with branch {name}" in caplog.text


def test_a_catalog_whose_head_names_no_branch_begins_there(world: World, remote: Path) -> None:
    git(remote, "branch", "-m", "master", "old")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/main")

    assert world.fetch(remote).commit is None


def test_leftovers_of_an_unpushed_run_are_no_local_work(world: World, remote: Path) -> None:
    world.fetch(remote)
    leftovers(world.place)

    world.fetch(remote)

    assert world.files() == set(FILES)
    assert (world.place / "manifests/foo/cm.yaml").read_text() == "a: 1\n"
    assert git(world.place, "status", "--porcelain") == ""
    assert backups(world.place) == []


def test_leftovers_in_an_empty_catalog_are_no_local_work(world: World) -> None:
    remote = make_repository(world.root / "empty.git", {})
    world.fetch(remote)
    (world.place / "manifests/foo").mkdir(parents=True)
    leftovers(world.place)

    world.fetch(remote)

    assert git(world.place, "ls-files") == ""


@pytest.mark.parametrize("name", ["README.md", "mine.txt"])
def test_work_outside_of_what_is_generated_stops_the_run(
    world: World, remote: Path, name: str
) -> None:
    world.fetch(remote)
    leftovers(world.place)
    (world.place / name).write_text("mine")
    git(world.place, "add", "--all")

    error = world.refused(remote)

    assert "catalog of c-one holds local work: " in str(error)
    assert str(error).endswith(f" {name}")
    assert (world.place / name).read_text() == "mine"
    assert (world.place / "manifests/foo/cm.yaml").read_text() == "a: 2\n"


def test_force_puts_work_aside(world: World, remote: Path) -> None:
    world.fetch(remote)
    (world.place / "README.md").write_text("mine")
    (world.place / "new.txt").write_text("new")

    world.fetch(remote, force=True)

    (ref,) = backups(world.place)
    assert git(world.place, "show", f"{ref}:README.md") == "mine"
    assert git(world.place, "show", f"{ref}:new.txt") == "new"
    assert world.files() == set(FILES)


def test_ignored_files_stay(world: World, remote: Path) -> None:
    world.fetch(remote)
    (world.place / ".README.md.swp").write_text("ignored")

    world.fetch(remote)

    assert (world.place / ".README.md.swp").read_text() == "ignored"


def test_a_commit_that_could_not_be_pushed_is_kept(world: World, remote: Path) -> None:
    world.fetch(remote)
    mine = commit_in(world.place, {"manifests/foo/cm.yaml": "a: 9\n"})
    theirs = commit_to(remote, {"manifests/foo/cm.yaml": "a: 4\n"})

    got = world.fetch(remote)
    again = world.fetch(remote)

    assert got.commit == again.commit == head(world.place) == theirs
    kept = [git(world.place, "rev-parse", ref) for ref in backups(world.place)]
    assert any(git_succeeds(world.place, "merge-base", "--is-ancestor", mine, one) for one in kept)
    assert len(kept) == 1


def test_the_first_commit_of_an_empty_catalog_is_kept(world: World) -> None:
    remote = make_repository(world.root / "empty.git", {})
    world.fetch(remote)
    mine = commit_in(world.place, {"manifests/foo/cm.yaml": "a: 9\n"})

    assert world.fetch(remote).commit is None

    (ref,) = backups(world.place)
    assert git(world.place, "rev-parse", f"{ref}^") == mine


def test_an_empty_first_commit_is_nothing_to_keep(world: World) -> None:
    remote = make_repository(world.root / "empty.git", {})
    world.fetch(remote)
    git(world.place, *WHO, "commit", "--quiet", "--allow-empty", "--message", "Initial commit")

    assert world.fetch(remote).commit is None

    assert backups(world.place) == []


def test_the_catalog_of_another_cluster_takes_over(world: World, remote: Path) -> None:
    other = make_repository(world.root / "other.git", {"manifests/b.yaml": "b: 1\n"})
    world.fetch(remote)
    leftovers(world.place)

    got = world.fetch(other)

    assert got.commit == git(other, "rev-parse", "master")
    assert world.files() == {"manifests/b.yaml"}
    assert git(world.place, "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/master"


def test_an_empty_catalog_takes_over_with_none_of_the_old_files(world: World, remote: Path) -> None:
    empty = make_repository(world.root / "empty.git", {}, branch="main")
    world.fetch(remote)
    leftovers(world.place)

    got = world.fetch(empty)

    assert (got.branch, got.commit) == ("main", None)
    assert world.files() == set()
    assert git(world.place, "status", "--porcelain") == ""


@pytest.mark.spec("03.13")
def test_an_unreachable_catalog_is_told(world: World, remote: Path) -> None:
    gone = world.root / "gone.git"
    fresh = world.refused(gone)
    world.fetch(remote)
    later = world.refused(gone)

    for error in (fresh, later):
        assert "cannot fetch the catalog of c-one: fatal: '" in str(error)
        assert error.where == url_of(gone)
    assert branch(world.place) == "master"
    assert world.fetch(remote).commit == git(remote, "rev-parse", "master")


def test_a_folder_that_is_no_clone_is_left_alone(world: World, remote: Path) -> None:
    world.place.mkdir(parents=True)
    (world.place / "mine.txt").write_text("mine")

    error = world.refused(remote, force=True)

    assert "the folder is no Git checkout; nothing in it was touched" in str(error)
    assert world.files() == {"mine.txt"}


@pytest.mark.spec("03.26")
def test_local_mode_begins_a_catalog_that_is_not_there(
    world: World, remote: Path, caplog: pytest.LogCaptureFixture
) -> None:
    got = world.fetch(remote, local=True)

    assert (got.branch, got.commit) == ("master", None)
    assert "everything counts as added" in caplog.text


def test_local_mode_takes_the_catalog_as_it_is(world: World, remote: Path) -> None:
    world.fetch(remote)
    mine = commit_in(world.place, {"README.md": "mine"})
    (world.place / "new.txt").write_text("new")
    commit_to(remote, {"more.txt": "more"})

    got = world.fetch(remote, local=True)

    assert (got.commit, got.branch) == (mine, "master")
    assert (world.place / "new.txt").read_text() == "new"
