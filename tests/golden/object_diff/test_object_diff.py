"""A catalog before (`old`) and after (`new`), and what is shown of its objects.

`expected` is what a terminal shows, `expected.md` the comment on a pull request, `ignore` the
rules of the hierarchy, if there are any.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.adapters.files import read_tree
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.objects import ObjectDiff, object_diff
from commodore_py.cli.output import streams
from commodore_py.cli.output.differences import as_markdown, as_text
from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.model.difference import GRADES
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_diff_is_as_expected(case: GoldenCase, golden: Golden, tmp_path: Path) -> None:
    found = diff_of(case, tmp_path)

    golden.check_key(case, "expected", f"{streams.unstyled(as_text.object_diff(found))}\n")
    golden.check_key(case, "expected.md", f"{as_markdown.object_diff(found)}\n")


def test_all_grades_have_a_case(tmp_path: Path) -> None:
    grades = {
        change.grade for case in CASES for change in diff_of(case, tmp_path / case.name).objects
    }

    assert grades == {*GRADES}


def diff_of(case: GoldenCase, folder: Path) -> ObjectDiff:
    old, new = (read_tree(case.write_files(folder / side, side)) for side in ("old", "new"))
    ignored = case.content.get("ignore")
    found, problems = rules_from(yaml.load(ignored, name="ignore") if ignored else None)
    assert problems == ()
    return object_diff(change_between(old, new), found)
