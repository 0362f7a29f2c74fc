"""Lists of applications with removals."""

from __future__ import annotations

import pytest

from commodore_py.inventory.engine.reader import Applications


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([["a", "b"], ["c", "a"]], ["a", "b", "c"]),
        ([["a", "b"], ["~a"]], ["b"]),
        ([["~foo"], ["foo", "bar"]], ["bar"]),
        ([["~foo"], ["foo", "bar"], ["foo"]], ["bar", "foo"]),
        ([["~foo", "~foo"], ["foo"], ["foo"]], ["foo"]),
        ([["a", "~a", "a"]], ["a"]),
        ([["~a", "a", "a"]], ["a"]),
        ([["a"], ["b", "~a"]], ["b"]),
        ([["~b"], ["~a"], ["a", "b", "c"]], ["c"]),
        ([["~~a"], ["~a"]], []),
        ([["~"], ["", "x"]], ["x"]),
        ([["${a}"], ["~${a}"]], []),
        ([[], []], []),
    ],
)
def test_classes_list_one_after_the_other(classes: list[list[str]], expected: list[str]) -> None:
    merged = Applications()

    for names in classes:
        merged = merged.merged(Applications.of(names))

    assert list(merged.names) == expected
