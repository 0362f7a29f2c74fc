"""Git's own files give the same answers as Git, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git import abbreviations as git_short
from commodore_py.adapters.git.objects import is_unambiguous
from commodore_py.adapters.git.refs import refs_in_files, refs_of
from commodore_py.adapters.git.repository import (
    GitFolders,
    _head_in_files,
    default_branch_of,
    folders_of,
    head_of,
    is_repository,
    origin_in,
    remote_settings,
)
from tests.support.builders import commit_to, git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = make_repository(tmp_path / "r.git", {"a.txt": "a"})
    commit_to(path, {"b.txt": "b"}, branch="feat/x")
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(path, *who, "tag", "-a", "-m", "one", "annotated", "master")
    git(path, "tag", "light", "feat/x")
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_refs_are_those_that_git_lists(repository: Path, *, packed: bool) -> None:
    if packed:
        git(repository, "pack-refs", "--all")
        commit_to(repository, {"c.txt": "c"}, branch="feat/x")

    refs = refs_in_files(repository, "refs/heads", "refs/tags/")

    listing = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    assert refs is not None
    assert dict(refs.objects) == dict(line.split(" ") for line in listing)
    assert refs.symbolic == {"HEAD": "refs/heads/master"}
    commit = git(repository, "rev-parse", "master")
    assert refs.peeled.get("refs/tags/annotated") == (commit if packed else None)
    assert "refs/heads/feat/x" not in refs.peeled


@pytest.mark.parametrize("content", ["", "nonsense", "0123"])
def test_refs_that_git_must_read_are_not_guessed(repository: Path, content: str) -> None:
    (repository / "refs/heads/odd").write_text(content)

    assert refs_in_files(repository, "refs/heads") is None


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ('[remote "origin"]\n\turl = /x\n[core]\n\ta = b\n', {"remote.origin.url": "/x"}),
        ('[core]\n\ta = b\n[remote "origin"]\n\turl = /x y\n', {"remote.origin.url": "/x y"}),
        ('[remote "origin"]\n\turl = "/x"\n', None),
        ('[remote "origin"]\n\turl = /x ; y\n', None),
        ('[remote "origin"]\n\turl = /x\n\turl = /y\n', None),
        ('[remote "origin"]\n\turl = /x\n\tproxy = y\n', None),
        ('[remote "origin"]\n\turl = /x\n[Remote "origin"]\n\turl = /y\n', None),
        ('[remote "origin"] url = /x\n', None),
        ("[core]\n\ta = b\n", None),
    ],
)
def test_only_plain_settings_are_read(config: str, found: dict[str, str] | None) -> None:
    assert origin_in(config) == found


@pytest.mark.parametrize("packed", [False, True])
def test_an_ambiguous_start_of_a_name_is_noticed(repository: Path, *, packed: bool) -> None:
    # Of so many objects some share their first two digits, and none six.
    commits = [commit_to(repository, {"n.txt": str(number)}) for number in range(60)]
    if packed:
        git(repository, "repack", "-a", "-d", "--quiet")
        git(repository, "prune-packed")
    starts = [commit[:2] for commit in commits]
    shared = next(start for start in starts if starts.count(start) > 1)

    assert is_unambiguous(repository, shared) is False
    assert is_unambiguous(repository, commits[0][:10]) is True
    assert git_short.short_commits_in([(repository, commits[0])]) == {
        (repository, commits[0]): git(repository, "rev-parse", "--short=6", commits[0])
    }


def test_alternates_are_left_to_git(repository: Path) -> None:
    (repository / "objects/info").mkdir(exist_ok=True)
    (repository / "objects/info/alternates").write_text("/elsewhere\n")

    assert is_unambiguous(repository, "012345") is None


def _cloned(repository: Path) -> Path:
    checkout = repository.with_name("checkout")
    git(repository.parent, "clone", "--quiet", str(repository), checkout.name)
    return checkout


def _worktree(repository: Path) -> Path:
    checkout = repository.with_name("worktree")
    git(repository, "config", "remote.origin.url", "/elsewhere")
    git(repository, "worktree", "add", "--quiet", str(checkout), "feat/x")
    return checkout


def _detached(repository: Path) -> Path:
    checkout = _worktree(repository)
    git(checkout, "checkout", "--quiet", "--detach")
    return checkout


def _packed(repository: Path) -> Path:
    checkout = _worktree(repository)
    git(checkout, "pack-refs", "--all")
    return checkout


def _linked(repository: Path) -> Path:
    checkout = _cloned(repository)
    link = checkout.with_name("link")
    link.symlink_to(checkout)
    return link


def _relative(repository: Path) -> Path:
    checkout = _worktree(repository)
    text = (checkout / ".git").read_text().replace(str(repository), f"../{repository.name}")
    (checkout / ".git").write_text(text)
    return checkout


def _moved_git_folder(repository: Path) -> Path:
    checkout = _cloned(repository)
    git(checkout, "init", "--quiet", f"--separate-git-dir={repository.with_name('apart')}")
    return checkout


@pytest.mark.parametrize(
    "made", [_cloned, _worktree, _detached, _packed, _linked, _relative, _moved_git_folder]
)
def test_a_checkout_is_read_as_git_reads_it(
    repository: Path, made: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = made(repository)
    commit = git(checkout, "rev-parse", "HEAD")
    branch = git(checkout, "rev-parse", "--symbolic-full-name", "HEAD")
    url = git(checkout, "config", "remote.origin.url")
    short = git(checkout, "rev-parse", "--short=6", "HEAD")
    default = refs_of(checkout).default_branch
    monkeypatch.setenv("PATH", "/nowhere")  # Git cannot be run from here on

    assert is_repository(checkout)
    assert head_of(checkout) == (
        commit,
        None if branch == "HEAD" else branch.removeprefix("refs/heads/"),
    )
    assert remote_settings(checkout)["remote.origin.url"] == url
    assert default_branch_of(checkout) == default
    assert git_short.short_commits_of([(checkout, commit)]) == {(checkout, commit): short}


def test_the_default_branch_is_the_one_that_the_remote_named(repository: Path) -> None:
    git(repository, "symbolic-ref", "HEAD", "refs/heads/feat/x")

    assert default_branch_of(_cloned(repository)) == "feat/x"


def test_a_default_branch_that_is_missing_is_none(repository: Path) -> None:
    checkout = _cloned(repository)
    git(checkout, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")

    found = default_branch_of(checkout)

    assert found == refs_of(checkout).default_branch == "master"


@pytest.mark.parametrize(
    "head",
    ["", "nonsense", "ref: refs/tags/light", "ref: refs/heads/../x", "ref: refs/heads/a b", "0123"],
)
def test_a_head_that_git_must_read_is_not_guessed(repository: Path, head: str) -> None:
    checkout = _cloned(repository)
    (checkout / ".git/HEAD").write_text(head)

    own = checkout / ".git"

    assert _head_in_files(GitFolders(own, own)) is None


def test_a_branch_that_is_a_name_for_another_is_left_to_git(repository: Path) -> None:
    checkout = _cloned(repository)
    git(checkout, "symbolic-ref", "refs/heads/other", "refs/heads/master")
    git(checkout, "symbolic-ref", "HEAD", "refs/heads/other")

    assert _head_in_files(folders_of(checkout)) is None
    assert head_of(checkout)[0] == git(checkout, "rev-parse", "HEAD")


@pytest.mark.parametrize("content", ["", "gitdir: ", "gitdir: /nowhere", "else: x"])
def test_a_folder_that_leads_to_no_repository_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)

    assert folders_of(tmp_path) is None
    assert not is_repository(tmp_path)


def test_a_folder_inside_a_checkout_is_not_a_repository(repository: Path) -> None:
    inside = _cloned(repository) / "inside"
    inside.mkdir()

    assert not is_repository(inside)
