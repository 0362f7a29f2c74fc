"""Git's own files give the same answers as Git, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import git as adapter
from commodore_py.adapters.git_files import is_unambiguous, refs_in, remote_in
from tests.builders import a_repository_with, commit_to, git

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = a_repository_with(tmp_path / "r.git", {"a.txt": "a"})
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

    refs = refs_in(repository, "refs/heads", "refs/tags/")

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

    assert refs_in(repository, "refs/heads") is None


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
def test_only_plain_settings_are_read(
    tmp_path: Path, config: str, found: dict[str, str] | None
) -> None:
    (tmp_path / "config").write_text(config)

    assert remote_in(tmp_path / "config") == found


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
    assert adapter.short_commits_in([(repository, commits[0])]) == {
        (repository, commits[0]): git(repository, "rev-parse", "--short=6", commits[0])
    }


def test_borrowed_objects_are_left_to_git(repository: Path) -> None:
    (repository / "objects/info").mkdir(exist_ok=True)
    (repository / "objects/info/alternates").write_text("/elsewhere\n")

    assert is_unambiguous(repository, "012345") is None
