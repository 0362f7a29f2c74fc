"""Git's index, read without Git: what each file looked like when it was clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.index import UnknownIndex, files_in, seen_of
from tests.support.builders import commit_in, git

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"a": "1\n", "folder/ä b.txt": "22\n", "x" * 200: "3\n", "folder/deep/er.sh": ""}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "checkout")
    commit_in(tmp_path / "checkout", FILES)
    return tmp_path / "checkout"


def seen(path: Path) -> tuple[int, int, int, int]:
    found = path.lstat()
    return seen_of(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@pytest.mark.parametrize("version", ["2", "3"])
def test_files_that_are_clean_look_as_the_index_has_them(checkout: Path, version: str) -> None:
    if version == "3":  # what Git writes where it needs more flags
        git(checkout, "update-index", "--skip-worktree", "a")

    found = files_in((checkout / ".git/index").read_bytes())

    assert {name: seen(checkout / name) for name in FILES} == dict(found)


def test_an_edited_file_differs(checkout: Path) -> None:
    (checkout / "a").write_text("2\n")

    found = files_in((checkout / ".git/index").read_bytes())

    assert found["a"] != seen(checkout / "a")


def test_an_index_of_another_version_is_left_to_git(checkout: Path) -> None:
    git(checkout, "update-index", "--index-version", "4")

    with pytest.raises(UnknownIndex):
        files_in((checkout / ".git/index").read_bytes())
