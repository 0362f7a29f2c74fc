"""Git repositories that components want to have lying around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.scenarios.downloads import Downloads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Downloads:
    return Downloads(tmp_path)


def test_a_folder_of_a_repository(world: Downloads) -> None:
    repository = make_repository(world.root / "r.git", {"a/b": "1", "a/run.sh": "2", "c": "3"})

    world.fetch(world.git(url_of(repository), ref="master", subdir="a"))

    assert world.files("repo") == {"b": "1", "run.sh": "2"}
    assert (world.place / "repo/run.sh").stat().st_mode & 0o100
    assert not (world.place / "repo/.git").exists()


def test_a_whole_repository_is_a_clone(world: Downloads) -> None:
    repository = make_repository(world.root / "r.git", {"a": "1"}, branch="main")
    git(repository, "tag", "v1")
    commit_to(repository, {"a": "2"}, branch="main")

    world.fetch(world.git(url_of(repository)))
    clone = world.place / "repo"
    newest = (world.files("repo"), git(clone, "status", "--porcelain", "--branch"))
    world.fetch(world.git(url_of(repository), ref="v1"))

    assert newest == ({"a": "2"}, "## main...origin/main")
    assert world.files("repo") == {"a": "1"}
    assert git(clone, "fsck", "--full") == ""
    assert git(clone, "remote", "get-url", "origin") == url_of(repository)
    assert git(clone, "status", "--porcelain") == ""


def test_a_clone_that_somebody_looked_at_is_still_ours(world: Downloads) -> None:
    repository = make_repository(world.root / "r.git", {"a": "1"})
    world.fetch(world.git(url_of(repository)))
    git(world.place / "repo", "status")
    git(world.place / "repo", "update-index", "--index-version", "4")

    world.fetch(world.git(url_of(repository)))
    commit_to(repository, {"a": "2"})
    world.fetch(world.git(url_of(repository)))

    assert world.files("repo") == {"a": "2"}
    assert git(world.place / "repo", "status", "--porcelain") == ""
    assert not (world.place / ".git/commodore-put-aside").exists()


def test_a_branch_is_asked_for_again_a_commit_never(world: Downloads) -> None:
    repository = make_repository(world.root / "r.git", {"a": "1"})
    first = git(repository, "rev-parse", "master")
    world.fetch(world.git(url_of(repository), "one", ref="master"))
    world.fetch(world.git(url_of(repository), "two", ref=first))
    commit_to(repository, {"a": "2"})

    world.fetch(world.git(url_of(repository), "one", ref="master"))
    repository.rename(world.root / "gone.git")
    world.fetch(world.git(url_of(repository), "two", ref=first))
    world.fetch(world.git(url_of(repository), "one", ref="master"), local=True)

    assert (world.files("one"), world.files("two")) == ({"a": "2"}, {"a": "1"})


def test_submodules_come_along(world: Downloads) -> None:
    inner = make_repository(world.root / "inner.git", {"deep": "deep"})
    repository = make_repository(world.root / "r.git", {"a": "1"})
    clone = world.root / "clone"
    git(world.root, "clone", "--quiet", str(repository), str(clone))
    git(
        clone,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../inner.git",
        "sub",
    )
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Sub")
    git(clone, "push", "--quiet", "origin", "HEAD")
    assert inner.is_dir()

    world.fetch(
        world.git(url_of(repository), "with", submodules=True),
        world.git(url_of(repository), "without"),
        world.git(url_of(repository), "only", submodules=True, subdir="sub"),
    )

    assert world.files("with")["sub/deep"] == world.files("only")["deep"] == "deep"
    assert "sub/deep" not in world.files("without")


def test_links_become_what_they_lead_to(world: Downloads) -> None:
    repository = _linking(world, {"real/file": "x"}, {"link": "real/file", "folder": "real"})

    world.fetch(world.git(url_of(repository), subdir=""))

    assert world.files("repo") == {"real/file": "x", "link": "x", "folder/file": "x"}
    assert not (world.place / "repo/link").is_symlink()


def test_links_that_lead_out_are_refused(world: Downloads) -> None:
    repository = _linking(world, {"a": "x"}, {"link": "/etc/hostname"})

    (error,) = world.refused(world.git(url_of(repository)))

    assert "leads out of its folder" in str(error)


def _linking(world: Downloads, files: dict[str, str], links: dict[str, str]) -> Path:
    repository = make_repository(world.root / "r.git", files)
    clone = world.root / "clone"
    git(world.root, "clone", "--quiet", str(repository), str(clone))
    for name, target in links.items():
        (clone / name).symlink_to(target)
    git(clone, "add", "--all")
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Links")
    git(clone, "push", "--quiet", "origin", "HEAD")
    return repository


@pytest.mark.parametrize(
    ("more", "says"),
    [({"ref": "none"}, "revision none not found"), ({"subdir": "none"}, "has no folder none")],
)
def test_what_a_repository_lacks_is_told(world: Downloads, more: dict[str, str], says: str) -> None:
    repository = make_repository(world.root / "r.git", {"a": "1"})

    (error,) = world.refused(world.git(url_of(repository), **more))

    assert says in str(error)
