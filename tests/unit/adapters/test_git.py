"""Git by its own program: what we read from it, and what it must not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git import program
from commodore_py.adapters.git.refs import (
    RevisionNotFound,
    commit_of,
    note_default_branch,
    refs_of,
)
from commodore_py.adapters.git.repository import configure_remote, head_of, remote_settings
from commodore_py.adapters.git.status import status
from commodore_py.adapters.git.worktrees import commit_at
from commodore_py.adapters.process import ProgramFailed
from tests.support.builders import commit_in, commit_to, git, make_repository, url_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "remote.git", {"a.txt": "a\n", "b c.txt": "b\n"})


@pytest.fixture
def clone(tmp_path: Path, remote: Path) -> Path:
    git(tmp_path, "clone", "--quiet", url_of(remote), "clone")
    return tmp_path / "clone"


@pytest.mark.parametrize(
    ("url", "push"),
    [
        ("https://host/foo.git", "ssh://git@host/foo.git"),
        ("git@host:foo.git", None),
        ("/srv/foo.git", None),
    ],
)
def test_a_remote_is_configured_with_the_url_it_is_pushed_to(
    clone: Path, url: str, push: str | None
) -> None:
    configure_remote(clone, "https://before/bar.git")

    old = configure_remote(clone, url)

    settings = remote_settings(clone)
    assert old == "https://before/bar.git"
    assert settings.get("pushurl") == push
    assert settings["fetch"] == "+refs/heads/*:refs/remotes/origin/*"


def test_a_configured_remote_is_not_written_again(clone: Path) -> None:
    configure_remote(clone, "https://host/foo.git")
    before = (clone / ".git/config").stat().st_mtime_ns

    configure_remote(clone, "https://host/foo.git")

    assert (clone / ".git/config").stat().st_mtime_ns == before


def test_refs_name_commits_and_the_default_branch(remote: Path, clone: Path) -> None:
    master = git(remote, "rev-parse", "master")
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(remote, *who, "tag", "-a", "-m", "one", "annotated", "master")
    git(remote, "tag", "light", "master")
    git(remote, "tag", "of-a-folder", "master^{tree}")
    other = commit_to(remote, {"c.txt": "c"}, branch="feat/x")
    program.fetch(clone)

    refs = refs_of(clone)

    assert refs.default_branch == "master"
    assert refs.commits == {
        "refs/remotes/origin/feat/x": other,
        "refs/remotes/origin/master": master,
        "refs/tags/annotated": master,
        "refs/tags/light": master,
        "refs/tags/of-a-folder": git(remote, "rev-parse", "master^{tree}"),
    }


def test_a_default_branch_that_is_missing_is_forgotten(remote: Path, clone: Path) -> None:
    git(remote, "branch", "-m", "master", "main")
    program.fetch(clone)

    before = refs_of(clone).default_branch
    git(remote, "symbolic-ref", "HEAD", "refs/heads/main")
    note_default_branch(clone, "main")

    assert (before, refs_of(clone).default_branch) == ("master", "main")


def test_the_status_has_the_change_of_each_file(clone: Path) -> None:
    (clone / "a.txt").write_text("edited")
    (clone / "b c.txt").unlink()
    (clone / "new file.txt").write_text("new")
    (clone / "staged ü.txt").write_text("new")
    git(clone, "add", "staged ü.txt")

    full = status(clone, untracked=True)
    tracked = status(clone, untracked=False)

    assert full.changes == (
        ("modified", "a.txt"),
        ("deleted", "b c.txt"),
        ("added", "staged ü.txt"),
        ("untracked", "new file.txt"),
    )
    assert tracked.changes == full.changes[:3]
    assert (full.commit, full.branch) == (git(clone, "rev-parse", "HEAD"), "master")


def test_the_status_names_files_in_conflict(clone: Path) -> None:
    git(clone, "checkout", "--quiet", "-b", "other")
    commit_in(clone, {"a.txt": "theirs\n"})
    git(clone, "checkout", "--quiet", "master")
    commit_in(clone, {"a.txt": "ours\n"})
    with pytest.raises(ProgramFailed):
        program.git(clone, "-c", "user.name=x", "-c", "user.email=x", "merge", "other")

    assert status(clone, untracked=True).changes == (("unmerged", "a.txt"),)


def test_the_status_of_a_repository_without_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "new")

    found = status(tmp_path / "new", untracked=True)

    assert (found.commit, found.branch, found.changes) == (None, "main", ())
    assert head_of(tmp_path / "new") == (None, "main")


def test_head_is_a_commit_and_a_branch_or_none(clone: Path) -> None:
    commit = git(clone, "rev-parse", "HEAD")
    git(clone, "tag", "master")  # makes Git's short name of the branch a longer one

    attached = head_of(clone)
    git(clone, "checkout", "--quiet", "--detach")

    assert attached == (commit, "master")
    assert head_of(clone) == (commit, None)
    assert status(clone, untracked=False).branch is None


def test_short_commits_have_six_characters(clone: Path) -> None:
    first = git(clone, "rev-parse", "HEAD")
    assert commit_at(clone) == (first, first[:6])

    second = commit_in(clone, {"a.txt": "x"})

    assert commit_at(clone) == (second, second[:6])


@pytest.mark.parametrize("revision", ["nothing", "--help", "HEAD^{tree}", ""])
def test_what_names_no_commit_gives_none(clone: Path, revision: str) -> None:
    assert commit_of(clone, revision) is None


def test_a_repository_around_a_folder_is_not_mistaken_for_it(clone: Path) -> None:
    (clone / "inner/.git").mkdir(parents=True)

    with pytest.raises(ProgramFailed) as caught:
        program.git(clone / "inner", "status")

    assert "not a git repository" in caught.value.stderr


def test_variables_of_another_repository_mean_nothing(
    clone: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = git(clone, "rev-parse", "--absolute-git-dir")
    monkeypatch.setenv("GIT_DIR", str(remote))
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")

    assert program.git(clone, "rev-parse", "--absolute-git-dir") == expected


def test_a_missing_revision_is_reported_without_the_password() -> None:
    error = RevisionNotFound.named("v1", url="https://me:secret@host/x.git")

    assert str(error) == "revision v1 not found"
    assert error.where == "https://***@host/x.git"
