"""Commits read from packs and single objects are as Git prints them, or missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.objects import is_packed_commit, tree_of
from tests.support.builders import commit_to, git, make_repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "r.git", {"a.txt": "a"})


@pytest.mark.parametrize("packed", [False, True])
def test_the_tree_of_a_commit(repository: Path, *, packed: bool) -> None:
    # So many, and so similar, that some are stored as differences to others.
    commits = [commit_to(repository, {"n.txt": str(number)}) for number in range(30)]
    if packed:
        git(repository, "repack", "-a", "-d", "--quiet", "--depth=50", "--window=50")
        git(repository, "prune-packed")

    found = {commit: tree_of(repository, commit) for commit in commits}

    trees = {commit: git(repository, "rev-parse", f"{commit}^{{tree}}") for commit in commits}
    assert any(found.values())
    assert all(tree in ("", trees[commit]) for commit, tree in found.items())
    if not packed:
        assert found == trees


@pytest.mark.parametrize("packed", [False, True])
def test_only_commits_have_a_tree(repository: Path, *, packed: bool) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(repository, *who, "tag", "--annotate", "--message", "one", "v1", "master")
    if packed:
        git(repository, "repack", "-a", "-d", "--quiet")
    others = [
        git(repository, "rev-parse", name) for name in ("v1", "master^{tree}", "master:a.txt")
    ]

    assert [tree_of(repository, name) for name in (*others, "0" * 40)] == [""] * 4
    assert not any(is_packed_commit(repository, name) for name in others)
    assert is_packed_commit(repository, git(repository, "rev-parse", "master"))


def test_a_truncated_pack_has_no_result(repository: Path) -> None:
    commit = git(repository, "rev-parse", "master")
    git(repository, "repack", "-a", "-d", "--quiet")
    git(repository, "prune-packed")
    (pack,) = (repository / "objects/pack").glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:12])

    assert tree_of(repository, commit) == ""
