"""The clones of the global and the tenant configuration: updated in place, nothing lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.discover import wanted_configuration
from commodore_py.model.cluster import RepositoryRef
from commodore_py.model.dependency import Kind
from tests.support.builders import (
    commit_in,
    commit_to,
    git,
    make_cluster,
    make_repository,
    url_of,
)
from tests.support.scenarios.dependencies import (
    Workspace,
    backups,
    branch,
    configuration,
    head,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def remote(workspace: Workspace) -> Path:
    """A configuration with a branch, a tag and ignored files."""
    repository = workspace.repository("global", {"common.yml": "a: 1\n", ".gitignore": "*.swp\n"})
    tag(repository, "v1")
    git(repository, "branch", "next", "master")
    commit_to(repository, {"next.yml": "b: 1\n"}, branch="next")
    return repository


@pytest.fixture
def place(workspace: Workspace, remote: Path) -> Path:
    """The clone, fetched once."""
    workspace.fetch(configuration(remote))
    return workspace.work / "inventory/classes/global"


def test_configuration_clone_is_an_ordinary_clone(remote: Path, place: Path) -> None:
    assert (branch(place), head(place)) == ("master", git(remote, "rev-parse", "master"))
    assert git(place, "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/master"
    assert git(place, "remote", "get-url", "origin") == url_of(remote)
    assert (place / "common.yml").read_text() == "a: 1\n"
    assert [path.name for path in place.parent.iterdir()] == ["global"]


def test_configuration_is_cloned_into_empty_folder(workspace: Workspace, remote: Path) -> None:
    place = workspace.work / "inventory/classes/global"
    place.mkdir(parents=True)

    workspace.fetch(configuration(remote))

    assert (place / "common.yml").is_file()


def test_clone_is_updated_in_place(workspace: Workspace, remote: Path, place: Path) -> None:
    (place / "mine.swp").write_text("ignored")
    commit = commit_to(remote, {"common.yml": "a: 2\n", "more.yml": "c: 1\n"})
    before = (place / ".git").stat().st_ino

    (got,) = workspace.fetch(configuration(remote))

    assert got.commit == head(place) == commit
    assert (place / "common.yml").read_text() == "a: 2\n"
    assert (place / "mine.swp").read_text() == "ignored"
    assert (place / ".git").stat().st_ino == before


def test_unchanged_configuration_is_not_rewritten(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    watched = [place / "common.yml", place / ".git/index", place / ".git/config"]
    before = [path.stat().st_mtime_ns for path in watched]

    workspace.fetch(configuration(remote))

    assert [path.stat().st_mtime_ns for path in watched] == before


@pytest.mark.parametrize(
    ("revision", "means", "on_branch"),
    [("next", "next", "next"), ("v1", "master", "HEAD"), ("origin/next", "next", "HEAD")],
)
def test_requested_configuration_revision_is_checked_out(
    workspace: Workspace, remote: Path, *, revision: str, means: str, on_branch: str
) -> None:
    place = workspace.work / "inventory/classes/global"
    workspace.fetch(configuration(remote))

    (got,) = workspace.fetch(configuration(remote, revision))

    assert got.commit == head(place) == git(remote, "rev-parse", means)
    assert branch(place) == on_branch
    assert got.version == "master"


def test_configuration_commit_is_checked_out_detached(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    commit = git(remote, "rev-parse", "next")

    (got,) = workspace.fetch(configuration(remote, commit))

    assert (got.commit, branch(place)) == (commit, "HEAD")


def test_configuration_branch_wins_over_tag(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    git(remote, "branch", "v1", "next")

    (got,) = workspace.fetch(configuration(remote, "v1"))

    assert got.commit == git(remote, "rev-parse", "next")
    assert branch(place) == "v1"


def test_overridden_revision_is_reported_as_version(workspace: Workspace, remote: Path) -> None:
    (of_global,) = workspace.fetch(configuration(remote, "next"), global_revision="next")
    (of_tenant,) = workspace.fetch(
        configuration(remote, "v1", kind=Kind.TENANT), tenant_revision="v1"
    )

    assert (of_global.version, of_tenant.version) == ("next", "v1")


def test_renamed_default_branch_is_followed(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    git(remote, "branch", "-m", "master", "main")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/main")
    commit = commit_to(remote, {"common.yml": "a: 3\n"}, branch="main")

    (got,) = workspace.fetch(configuration(remote))

    assert (got.version, got.commit, branch(place)) == ("main", commit, "main")


def test_rewritten_configuration_branch_is_followed(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    commit = rewrite_history(remote, {"other.yml": "d: 1\n"})

    workspace.fetch(configuration(remote))

    assert head(place) == commit
    assert not (place / "common.yml").exists()
    assert workspace.fetch(configuration(remote))[0].commit == commit


def test_moved_configuration_tag_is_followed_with_warning(
    workspace: Workspace, remote: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.fetch(configuration(remote, "v1"))
    tag(remote, "v1", at="next")

    (got,) = workspace.fetch(configuration(remote, "v1"))

    assert got.commit == git(remote, "rev-parse", "next")
    assert f"a tag was moved in {url_of(remote)}: v1 (" in caplog.text


def test_changed_repository_replaces_clone_in_place(
    workspace: Workspace, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = make_repository(workspace.root / "other.git", {"other.yml": "d: 1\n"})
    before = (place / ".git").stat().st_ino

    (got,) = workspace.fetch(configuration(other))

    assert got.url == git(place, "remote", "get-url", "origin") == url_of(other)
    assert head(place) == git(other, "rev-parse", "master")
    assert f"and is {url_of(other)} now" in caplog.text
    assert sorted(path.name for path in place.iterdir()) == [".git", "other.yml"]
    assert (place / ".git").stat().st_ino == before


@pytest.mark.usefixtures("place")
def test_tag_of_former_repository_is_not_found(workspace: Workspace) -> None:
    other = make_repository(workspace.root / "other.git", {"other.yml": "d: 1\n"})

    (error,) = workspace.refused(configuration(other, "v1"))

    assert str(error) == "global configuration global: revision v1 not found"


def test_unreachable_repository_leaves_clone_unchanged(
    workspace: Workspace, remote: Path, place: Path
) -> None:
    (error,) = workspace.refused(configuration(workspace.root / "gone.git"))

    assert error.where.splitlines()[0] == url_of(workspace.root / "gone.git")
    assert git(place, "remote", "get-url", "origin") == url_of(remote)


def test_local_work_is_reported_and_kept(workspace: Workspace, remote: Path, place: Path) -> None:
    git(place, "checkout", "--quiet", "-b", "side")
    side = commit_in(place, {"side.yml": "side"}, message="Side")
    git(place, "checkout", "--quiet", "master")
    mine = commit_in(place, {"mine.yml": "mine"}, message="Mine")
    (place / "common.yml").write_text("edited")
    (place / "new.yml").write_text("new")

    (error,) = workspace.refused(configuration(remote, "next"))

    assert str(error).startswith("global configuration global holds local work: ")
    for work in (
        "modified common.yml",
        "untracked new.yml",
        f"commit {mine[:7]} Mine",
        f"commit {side[:7]} Side",
    ):
        assert work in str(error)
    assert "--force" in error.hint
    assert (head(place), (place / "common.yml").read_text()) == (mine, "edited")


def test_force_backs_up_local_work(workspace: Workspace, remote: Path, place: Path) -> None:
    git(place, "checkout", "--quiet", "-b", "side")
    side = commit_in(place, {"side.yml": "side"}, message="Side")
    git(place, "checkout", "--quiet", "master")
    mine = commit_in(place, {"mine.yml": "mine"}, message="Mine")
    (place / "common.yml").write_text("edited")
    (place / "new.yml").write_text("new")

    (got,) = workspace.fetch(configuration(remote), force=True)

    files, of_side = (ref for ref in backups(place) if not ref.endswith("-master"))
    assert got.commit == head(place) == git(remote, "rev-parse", "master")
    assert git(place, "show", f"{files}:common.yml") == "edited"
    assert git(place, "show", f"{files}:new.yml") == "new"
    assert git(place, "rev-parse", f"{files}^") == mine
    assert git(place, "rev-parse", of_side) == side
    assert not (place / "new.yml").exists()
    assert workspace.fetch(configuration(remote)) == (got,)


@pytest.mark.parametrize("force", [False, True])
def test_configuration_folder_that_is_not_a_clone_is_kept(
    workspace: Workspace, remote: Path, *, force: bool
) -> None:
    place = workspace.work / "inventory/classes/global"
    place.mkdir(parents=True)
    (place / "mine.yml").write_text("mine")

    (error,) = workspace.refused(configuration(remote), force=force)

    assert "the folder is not a Git checkout; nothing in it was touched" in str(error)
    assert error.where == str(place)
    assert [path.name for path in place.iterdir()] == ["mine.yml"]


@pytest.mark.usefixtures("place")
def test_unreachable_configuration_remote_is_reported(workspace: Workspace, remote: Path) -> None:
    remote.rename(workspace.root / "moved.git")

    (error,) = workspace.refused(configuration(remote))
    (fresh,) = workspace.refused(configuration(remote, kind=Kind.TENANT))

    for one, name in ((error, "global configuration global"), (fresh, "tenant configuration")):
        assert f"cannot fetch the {name}" in str(one)
        assert "does not appear to be a git repository" in str(one) or "does not exist" in str(one)
        assert one.where.splitlines()[0] == url_of(remote)


def test_missing_configuration_revision_leaves_no_folder(
    workspace: Workspace, remote: Path
) -> None:
    (error,) = workspace.refused(configuration(remote, "v9"))

    assert str(error) == "global configuration global: revision v9 not found"
    assert error.where.splitlines()[0] == url_of(remote)
    assert "globalGitRepoRevision" in error.hint
    assert "--global-repo-revision-override" in error.hint
    assert list((workspace.work / "inventory/classes").iterdir()) == []


def test_both_configurations_are_requested_with_revisions() -> None:
    cluster = make_cluster(
        global_repo=RepositoryRef("file:///g.git", "v1"), tenant_repo=RepositoryRef("file:///t.git")
    )

    specs = wanted_configuration(cluster)

    assert [(s.kind, s.name, s.url, s.version) for s in specs] == [
        (Kind.GLOBAL, "global", "file:///g.git", "v1"),
        (Kind.TENANT, "t-acme", "file:///t.git", None),
    ]
