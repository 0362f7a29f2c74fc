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
class CatalogCheckout:
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
def checkout(tmp_path: Path) -> CatalogCheckout:
    return CatalogCheckout(tmp_path)


@pytest.fixture
def remote(checkout: CatalogCheckout) -> Path:
    return make_repository(checkout.root / "catalog.git", FILES)


def leftovers(place: Path) -> None:
    """What a run that was not pushed leaves: changed, added and removed files, all staged."""
    (place / "manifests/foo/cm.yaml").write_text("a: 2\n")
    (place / "manifests/bar").mkdir()
    (place / "manifests/bar/cm.yaml").write_text("b: 1\n")
    (place / "refs").mkdir()
    (place / "refs/secret").write_text("c: 1\n")
    git(place, "add", "--all")


def test_catalog_is_cloned(checkout: CatalogCheckout, remote: Path) -> None:
    got = checkout.fetch(remote)

    commit = git(remote, "rev-parse", "master")
    assert (got.directory, got.url, got.branch, got.commit) == (
        checkout.place,
        url_of(remote),
        "master",
        commit,
    )
    assert checkout.files() == set(FILES)
    assert git(checkout.place, "status", "--porcelain") == ""


def test_catalog_is_updated_in_place(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    commit = commit_to(remote, {"manifests/foo/cm.yaml": "a: 3\n"})
    before = (checkout.place / ".git").stat().st_ino

    got = checkout.fetch(remote)

    assert got.commit == head(checkout.place) == commit
    assert (checkout.place / "manifests/foo/cm.yaml").read_text() == "a: 3\n"
    assert (checkout.place / ".git").stat().st_ino == before


@pytest.mark.parametrize("name", ["master", "main"])
def test_empty_catalog_begins_with_default_branch_of_remote(
    checkout: CatalogCheckout, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    remote = make_repository(checkout.root / "empty.git", {}, branch=name)

    heads = [checkout.fetch(remote) for _ in range(2)]

    assert [(got.branch, got.commit) for got in heads] == [(name, None)] * 2
    assert git(checkout.place, "symbolic-ref", "HEAD") == f"refs/heads/{name}"
    assert f"the catalog has no commit yet: it begins with branch {name}" in caplog.text


def test_catalog_with_unborn_head_has_no_commit(checkout: CatalogCheckout, remote: Path) -> None:
    git(remote, "branch", "-m", "master", "old")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/main")

    assert checkout.fetch(remote).commit is None


def test_files_of_unpushed_run_are_not_local_work(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    leftovers(checkout.place)

    checkout.fetch(remote)

    assert checkout.files() == set(FILES)
    assert (checkout.place / "manifests/foo/cm.yaml").read_text() == "a: 1\n"
    assert git(checkout.place, "status", "--porcelain") == ""
    assert backups(checkout.place) == []


def test_files_of_unpushed_run_in_empty_catalog_are_removed(checkout: CatalogCheckout) -> None:
    remote = make_repository(checkout.root / "empty.git", {})
    checkout.fetch(remote)
    (checkout.place / "manifests/foo").mkdir(parents=True)
    leftovers(checkout.place)

    checkout.fetch(remote)

    assert git(checkout.place, "ls-files") == ""


@pytest.mark.parametrize("name", ["README.md", "mine.txt"])
def test_local_work_outside_generated_folders_stops_run(
    checkout: CatalogCheckout, remote: Path, name: str
) -> None:
    checkout.fetch(remote)
    leftovers(checkout.place)
    (checkout.place / name).write_text("mine")
    git(checkout.place, "add", "--all")

    error = checkout.refused(remote)

    assert "catalog of c-one holds local work: " in str(error)
    assert str(error).endswith(f" {name}")
    assert (checkout.place / name).read_text() == "mine"
    assert (checkout.place / "manifests/foo/cm.yaml").read_text() == "a: 2\n"


def test_force_backs_up_local_work(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    (checkout.place / "README.md").write_text("mine")
    (checkout.place / "new.txt").write_text("new")

    checkout.fetch(remote, force=True)

    (ref,) = backups(checkout.place)
    assert git(checkout.place, "show", f"{ref}:README.md") == "mine"
    assert git(checkout.place, "show", f"{ref}:new.txt") == "new"
    assert checkout.files() == set(FILES)


def test_ignored_files_are_kept(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    (checkout.place / ".README.md.swp").write_text("ignored")

    checkout.fetch(remote)

    assert (checkout.place / ".README.md.swp").read_text() == "ignored"


def test_unpushed_catalog_commit_is_backed_up(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    mine = commit_in(checkout.place, {"manifests/foo/cm.yaml": "a: 9\n"})
    theirs = commit_to(remote, {"manifests/foo/cm.yaml": "a: 4\n"})

    got = checkout.fetch(remote)
    again = checkout.fetch(remote)

    assert got.commit == again.commit == head(checkout.place) == theirs
    backed_up = [git(checkout.place, "rev-parse", ref) for ref in backups(checkout.place)]
    assert any(
        git_succeeds(checkout.place, "merge-base", "--is-ancestor", mine, one) for one in backed_up
    )
    assert len(backed_up) == 1


def test_local_commit_in_empty_catalog_is_backed_up(checkout: CatalogCheckout) -> None:
    remote = make_repository(checkout.root / "empty.git", {})
    checkout.fetch(remote)
    mine = commit_in(checkout.place, {"manifests/foo/cm.yaml": "a: 9\n"})

    assert checkout.fetch(remote).commit is None

    (ref,) = backups(checkout.place)
    assert git(checkout.place, "rev-parse", f"{ref}^") == mine


def test_empty_first_commit_is_not_backed_up(checkout: CatalogCheckout) -> None:
    remote = make_repository(checkout.root / "empty.git", {})
    checkout.fetch(remote)
    git(checkout.place, *WHO, "commit", "--quiet", "--allow-empty", "--message", "Initial commit")

    assert checkout.fetch(remote).commit is None

    assert backups(checkout.place) == []


def test_catalog_of_another_cluster_replaces_checkout(
    checkout: CatalogCheckout, remote: Path
) -> None:
    other = make_repository(checkout.root / "other.git", {"manifests/b.yaml": "b: 1\n"})
    checkout.fetch(remote)
    leftovers(checkout.place)

    got = checkout.fetch(other)

    assert got.commit == git(other, "rev-parse", "master")
    assert checkout.files() == {"manifests/b.yaml"}
    assert git(checkout.place, "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/master"


def test_change_to_empty_catalog_removes_old_files(checkout: CatalogCheckout, remote: Path) -> None:
    empty = make_repository(checkout.root / "empty.git", {}, branch="main")
    checkout.fetch(remote)
    leftovers(checkout.place)

    got = checkout.fetch(empty)

    assert (got.branch, got.commit) == ("main", None)
    assert checkout.files() == set()
    assert git(checkout.place, "status", "--porcelain") == ""


def test_unreachable_catalog_is_reported(checkout: CatalogCheckout, remote: Path) -> None:
    gone = checkout.root / "gone.git"
    fresh = checkout.refused(gone)
    checkout.fetch(remote)
    later = checkout.refused(gone)

    for error in (fresh, later):
        assert "cannot fetch the catalog of c-one: fatal: '" in str(error)
        assert error.where == f"{url_of(gone)}\ngitRepo.url of the cluster"
    assert branch(checkout.place) == "master"
    assert checkout.fetch(remote).commit == git(remote, "rev-parse", "master")


def test_catalog_folder_that_is_not_a_clone_is_kept(
    checkout: CatalogCheckout, remote: Path
) -> None:
    checkout.place.mkdir(parents=True)
    (checkout.place / "mine.txt").write_text("mine")

    error = checkout.refused(remote, force=True)

    assert "the folder is not a Git checkout; nothing in it was touched" in str(error)
    assert checkout.files() == {"mine.txt"}


def test_local_mode_creates_missing_catalog(
    checkout: CatalogCheckout, remote: Path, caplog: pytest.LogCaptureFixture
) -> None:
    got = checkout.fetch(remote, local=True)

    assert (got.branch, got.commit) == ("master", None)
    assert "everything counts as added" in caplog.text


def test_local_mode_keeps_catalog_unchanged(checkout: CatalogCheckout, remote: Path) -> None:
    checkout.fetch(remote)
    mine = commit_in(checkout.place, {"README.md": "mine"})
    (checkout.place / "new.txt").write_text("new")
    commit_to(remote, {"more.txt": "more"})

    got = checkout.fetch(remote, local=True)

    assert (got.commit, got.branch) == (mine, "master")
    assert (checkout.place / "new.txt").read_text() == "new"


@pytest.mark.parametrize("resolved", [False, True])
def test_unfinished_merge_is_refused_in_local_mode(
    checkout: CatalogCheckout, remote: Path, *, resolved: bool
) -> None:
    checkout.fetch(remote)
    file = checkout.place / "manifests/foo/cm.yaml"
    git(checkout.place, "checkout", "--quiet", "-b", "other")
    commit_in(checkout.place, {"manifests/foo/cm.yaml": "a: other\n"})
    git(checkout.place, "checkout", "--quiet", "master")
    commit_in(checkout.place, {"manifests/foo/cm.yaml": "a: mine\n"})
    assert not git_succeeds(checkout.place, *WHO, "merge", "--quiet", "other")
    if resolved:
        git(checkout.place, "add", "--all")
    before = file.read_text()

    error = checkout.refused(remote, local=True)

    conflicts = "unresolved merge conflicts: manifests/foo/cm.yaml"
    assert ("in the middle of a merge" if resolved else conflicts) in str(error)
    assert file.read_text() == before
