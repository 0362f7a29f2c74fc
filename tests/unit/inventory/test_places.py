"""Lines of class files: what stands on them, and on which one something stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.inventory.explain.places import (
    Place,
    fields_of,
    items_of,
    line_of,
    pairs_of,
    paths_at,
    shown,
)
from commodore_py.inventory.paths import Index

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"""\
classes:
  - one  # a comment
  - two
parameters:
  plain: 1
  ~marked:
    deep:
      - first
      - second: 2
        third: 3
  text: |
    several
    lines
  base: &base
    x: 1
  copy:
    <<: *base
    y: 2
  again: *base
"""


def test_place_is_written_as_editors_read_it() -> None:
    assert str(Place("a.yml", 3)) == "a.yml:3"
    assert str(Place("target app")) == "target app"


def test_items_have_their_lines() -> None:
    assert items_of(fields_of(TEXT)["classes"]) == [("one", 2), ("two", 3)]
    assert items_of(None) == []


@pytest.mark.parametrize(
    ("key", "lines"), [("plain", [5]), ("marked", [6]), ("nope", []), ("text", [11])]
)
def test_keys_are_found_without_their_marks(key: str, lines: list[int]) -> None:
    found = pairs_of(fields_of(TEXT)["parameters"], key)

    assert [line_of(written) for written, _ in found] == lines


def test_merged_keys_stand_where_they_are_written() -> None:
    ((_, copy),) = pairs_of(fields_of(TEXT)["parameters"], "copy")

    assert [line_of(key) for key, _ in pairs_of(copy, "x")] == [15]


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        (1, []),
        (2, []),
        (5, [("plain",)]),
        (6, [("marked",)]),
        (7, [("marked", "deep")]),
        (8, [("marked", "deep", Index(0))]),
        (9, [("marked", "deep", Index(1), "second")]),
        (10, [("marked", "deep", Index(1), "third")]),
        (12, [("text",)]),
        (15, [("base", "x"), ("copy", "x"), ("again", "x")]),
        (19, [("again",)]),
        (99, []),
    ],
)
def test_line_sets_the_innermost_parameters(line: int, paths: list[tuple[Any, ...]]) -> None:
    assert paths_at(TEXT, line) == paths


def test_files_are_shown_as_they_lie_below_a_folder(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "work"
    (root / "dependencies").mkdir(parents=True)
    (root / "dependencies" / "real.yml").write_text("")
    (root / "link.yml").symlink_to("dependencies/real.yml")
    (root / "away.yml").symlink_to(os.devnull)

    assert shown(root / "link.yml", root) == "dependencies/real.yml"
    assert shown(root / "away.yml", root) == "away.yml"
    assert shown(tmp_path / "else.yml", root) == str(tmp_path / "else.yml")
