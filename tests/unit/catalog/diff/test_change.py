"""One tree against another."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from commodore_py.catalog.diff.change import change_between
from commodore_py.model.tree import Entry, Tree


def tree(**files: str) -> Tree:
    """Files by name; one that begins with `#!` is a program."""
    return Tree(
        {
            PurePosixPath(name): Entry(text.encode(), executable=text.startswith("#!"))
            for name, text in files.items()
        }
    )


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({}, {}, []),
        ({"a": "1"}, {"a": "1"}, []),
        ({}, {"a": "1"}, [("added", "a", "a")]),
        ({"a": "1"}, {}, [("deleted", "a", "a")]),
        ({"a": "1"}, {"a": "2"}, [("modified", "a", "a")]),
        ({"a": "1"}, {"b": "1"}, [("renamed", "a", "b")]),
        ({"a": "1"}, {"b": "2"}, [("deleted", "a", "a"), ("added", "b", "b")]),
        ({"a": ""}, {"b": ""}, [("deleted", "a", "a"), ("added", "b", "b")]),
        ({"a": "1"}, {"a": "1", "b": "1"}, [("added", "b", "b")]),
        (
            {"a": "1", "b": "1"},
            {"c": "1", "d": "1", "e": "1"},
            [("renamed", "a", "c"), ("renamed", "b", "d"), ("added", "e", "e")],
        ),
        ({"a": "1", "b": "1"}, {"c": "1"}, [("deleted", "b", "b"), ("renamed", "a", "c")]),
    ],
)
def test_pairs(old: dict[str, str], new: dict[str, str], found: list[tuple[str, str, str]]) -> None:
    change = change_between(tree(**old), tree(**new))

    assert [(file.kind, file.old_path, file.path) for file in change.files] == found
    assert bool(change) == bool(found)


def test_contents_and_modes_of_both_sides() -> None:
    (file,) = change_between(tree(a="1"), tree(a="#!")).files

    assert (file.old, file.new) == (b"1", b"#!")
    assert (file.old_mode, file.new_mode) == (0o100644, 0o100755)
