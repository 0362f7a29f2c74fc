"""Where the trees of a package's instances go."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry, Tree
from commodore_py.workflows.authoring.package_compile import placed


def tree(**files: str) -> Tree:
    return Tree(
        {PurePosixPath(name, "x.yaml"): Entry(text.encode()) for name, text in files.items()}
    )


def test_every_instance_has_its_folder() -> None:
    found = placed({"b": tree(one="1"), "a.c": tree(one="2"), "ab": tree(one="3")})

    assert found == {"b": tree(one="1"), "a/c": tree(one="2"), "ab": tree(one="3")}


def test_an_instance_in_the_folder_of_another_is_part_of_it() -> None:
    found = placed({"a.b": tree(one="2"), "a": tree(two="1")})

    assert found == {"a": tree(**{"two": "1", "b/one": "2"})}


def test_two_contents_for_one_path() -> None:
    with pytest.raises(CommodoreError, match=r"different contents for a/b/one/x\.yaml"):
        placed({"a": tree(**{"b/one": "1"}), "a.b": tree(one="2")})

    assert placed({"a": tree(**{"b/one": "1"}), "a.b": tree(one="1")}) == {
        "a": tree(**{"b/one": "1"})
    }
