"""A tree knows its folders, whatever files are added to it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from commodore_py.model.tree import Entry, Tree, folders_above


@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        ([], set()),
        (["."], set()),
        (["a"], {"."}),
        ([".", "a"], {"."}),
        (["a/b/c", "a/b/d", "a/e"], {".", "a", "a/b"}),
        (["a/b", "a"], {".", "a"}),
    ],
)
def test_folders_above_paths(paths: list[str], folders: set[str]) -> None:
    found = folders_above(map(PurePosixPath, paths))

    assert set(map(str, found)) == folders


def test_folders_above_absolute_paths() -> None:
    assert folders_above([Path("/"), Path("/a/b"), Path("/c")]) == {Path("/"), Path("/a")}


def test_a_folder_with_an_added_file_is_not_empty_any_more() -> None:
    tree = Tree({PurePosixPath("a"): Entry(b"x")}, frozenset(map(PurePosixPath, ("b/c", "d"))))

    more = tree.plus({PurePosixPath("b/c/e/f"): Entry(b"y"), PurePosixPath("g"): Entry(b"z")})

    assert set(map(str, more.empty_folders)) == {"d"}
    assert set(map(str, more.folders())) == {".", "b", "b/c", "b/c/e", "d"}
