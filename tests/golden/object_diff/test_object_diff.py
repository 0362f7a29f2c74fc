"""Golden diffs of objects: each case is a catalog before and after, and what is shown of it.

`expected` is what a terminal shows, `expected.md` the comment on a pull request, `ignore.yaml` the
rules of the hierarchy, if there are any. UPDATE_GOLDEN=1 writes what is shown.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from commodore_py.adapters import yaml
from commodore_py.adapters.files import read_tree
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.objects import ObjectDiff, object_diff
from commodore_py.cli.output.differences import as_markdown, as_text
from commodore_py.manifests.fields import GRADES
from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.model.tree import Tree

CASES = Path(__file__).parent
NAMES = sorted(path.name for path in CASES.iterdir() if (path / "new").is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_diff_is_as_expected(name: str) -> None:
    found = diff_of(CASES / name)

    compare(CASES / name / "expected", click.unstyle(as_text.object_diff(found)))
    compare(CASES / name / "expected.md", as_markdown.object_diff(found))


def test_every_grade_has_a_case() -> None:
    assert {change.grade for name in NAMES for change in diff_of(CASES / name).objects} == {*GRADES}


def diff_of(case: Path) -> ObjectDiff:
    old, new = (
        read_tree(case / side) if (case / side).is_dir() else Tree() for side in ("old", "new")
    )
    rules = case / "ignore.yaml"
    found, problems = rules_from(yaml.load_file(rules) if rules.exists() else None)
    assert problems == ()
    return object_diff(
        change_between(old, new),
        found,
        lambda: (entry.content for path, entry in new.items() if old.get(path) == entry),
    )


def compare(expected: Path, shown: str) -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(f"{shown}\n", "utf-8")
    assert f"{shown}\n" == expected.read_text("utf-8")
