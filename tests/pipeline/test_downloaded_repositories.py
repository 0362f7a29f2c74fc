"""Git repositories that components want to have lying around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git, make_repository, url_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.scenarios.downloads import Downloads


def test_subdir_of_repository_is_downloaded(downloads: Downloads) -> None:
    repository = make_repository(downloads.root / "r.git", {"a/b": "1", "a/run.sh": "2", "c": "3"})

    downloads.fetch(downloads.git(url_of(repository), ref="master", subdir="a"))

    assert downloads.files("repo") == {"b": "1", "run.sh": "2"}
    assert (downloads.place / "repo/run.sh").stat().st_mode & 0o100
    assert not (downloads.place / "repo/.git").exists()


def test_whole_repository_is_downloaded_as_clone(downloads: Downloads) -> None:
    repository = make_repository(downloads.root / "r.git", {"a": "1"}, branch="main")
    git(repository, "tag", "v1")
    commit_to(repository, {"a": "2"}, branch="main")

    downloads.fetch(downloads.git(url_of(repository)))
    clone = downloads.place / "repo"
    newest = (downloads.files("repo"), git(clone, "status", "--porcelain", "--branch"))
    downloads.fetch(downloads.git(url_of(repository), ref="v1"))

    assert newest == ({"a": "2"}, "## main...origin/main")
    assert downloads.files("repo") == {"a": "1"}
    assert git(clone, "fsck", "--full") == ""
    assert git(clone, "remote", "get-url", "origin") == url_of(repository)
    assert git(clone, "status", "--porcelain") == ""


def test_clone_with_refreshed_index_is_still_updated(downloads: Downloads) -> None:
    repository = make_repository(downloads.root / "r.git", {"a": "1"})
    downloads.fetch(downloads.git(url_of(repository)))
    git(downloads.place / "repo", "status")
    git(downloads.place / "repo", "update-index", "--index-version", "4")

    downloads.fetch(downloads.git(url_of(repository)))
    commit_to(repository, {"a": "2"})
    downloads.fetch(downloads.git(url_of(repository)))

    assert downloads.files("repo") == {"a": "2"}
    assert git(downloads.place / "repo", "status", "--porcelain") == ""
    assert not (downloads.place / ".git/commodore-put-aside").exists()


def test_downloaded_branch_is_updated_and_commit_is_not(downloads: Downloads) -> None:
    repository = make_repository(downloads.root / "r.git", {"a": "1"})
    first = git(repository, "rev-parse", "master")
    downloads.fetch(downloads.git(url_of(repository), "one", ref="master"))
    downloads.fetch(downloads.git(url_of(repository), "two", ref=first))
    commit_to(repository, {"a": "2"})

    downloads.fetch(downloads.git(url_of(repository), "one", ref="master"))
    repository.rename(downloads.root / "gone.git")
    downloads.fetch(downloads.git(url_of(repository), "two", ref=first))
    downloads.fetch(downloads.git(url_of(repository), "one", ref="master"), local=True)

    assert (downloads.files("one"), downloads.files("two")) == ({"a": "2"}, {"a": "1"})


def test_submodules_come_along(downloads: Downloads) -> None:
    inner = make_repository(downloads.root / "inner.git", {"deep": "deep"})
    repository = make_repository(downloads.root / "r.git", {"a": "1"})
    clone = downloads.root / "clone"
    git(downloads.root, "clone", "--quiet", str(repository), str(clone))
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

    downloads.fetch(
        downloads.git(url_of(repository), "with", submodules=True),
        downloads.git(url_of(repository), "without"),
        downloads.git(url_of(repository), "only", submodules=True, subdir="sub"),
    )

    assert downloads.files("with")["sub/deep"] == downloads.files("only")["deep"] == "deep"
    assert "sub/deep" not in downloads.files("without")


def test_links_are_replaced_by_their_targets(downloads: Downloads) -> None:
    repository = _linking(downloads, {"real/file": "x"}, {"link": "real/file", "folder": "real"})

    downloads.fetch(downloads.git(url_of(repository), subdir=""))

    assert downloads.files("repo") == {"real/file": "x", "link": "x", "folder/file": "x"}
    assert not (downloads.place / "repo/link").is_symlink()


def test_links_out_of_folder_are_refused(downloads: Downloads) -> None:
    repository = _linking(downloads, {"a": "x"}, {"link": "/etc/hostname"})

    (error,) = downloads.refused(downloads.git(url_of(repository)))

    assert "leads out of its folder" in str(error)


def _linking(downloads: Downloads, files: dict[str, str], links: dict[str, str]) -> Path:
    repository = make_repository(downloads.root / "r.git", files)
    clone = downloads.root / "clone"
    git(downloads.root, "clone", "--quiet", str(repository), str(clone))
    for name, target in links.items():
        (clone / name).symlink_to(target)
    git(clone, "add", "--all")
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Links")
    git(clone, "push", "--quiet", "origin", "HEAD")
    return repository


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"ref": "none"}, "revision none not found"), ({"subdir": "none"}, "has no folder none")],
)
def test_missing_ref_or_subdir_is_reported(
    downloads: Downloads, more: dict[str, str], reason: str
) -> None:
    repository = make_repository(downloads.root / "r.git", {"a": "1"})

    (error,) = downloads.refused(downloads.git(url_of(repository), **more))

    assert reason in str(error)


@pytest.mark.parametrize(
    "url",
    ["{root}/private/r.git", "file://{root}/private/r.git", "../../private/r.git", "link/r.git"],
)
def test_local_submodule_elsewhere_is_refused(downloads: Downloads, url: str) -> None:
    private = make_repository(downloads.root / "private/r.git", {"secret": "secret"})
    public = make_repository(downloads.root / "public/r.git", {"a": "1"})
    (downloads.root / "public/link").symlink_to(downloads.root / "private")
    url = f"./../{url}" if url.startswith("link") else url.format(root=downloads.root)
    clone = downloads.root / "clone"
    git(downloads.root, "clone", "--quiet", str(public), str(clone))
    commit = git(private, "rev-parse", "HEAD")
    git(clone, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    (clone / ".gitmodules").write_text(f'[submodule "s"]\n\tpath = sub\n\turl = {url}\n')
    git(clone, "add", ".gitmodules")
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Sub")
    git(clone, "push", "--quiet", "origin", "HEAD")

    (error,) = downloads.refused(downloads.git(url_of(public), "with", submodules=True))

    assert "is a local repository that is neither beside" in str(error)
    assert "secret" not in {path.name for path in downloads.place.rglob("*")}
