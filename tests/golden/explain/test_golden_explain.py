"""A small hierarchy, the words after `commodore inventory explain`, and what a terminal shows.

`files` are written to `inventory/` in the working directory.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from commodore_py.cli.commands.explain import explain
from commodore_py.cli.settings.options import Globals
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)

# A case or more for each merge rule that a value can show.
RULES = (
    *("scalar", "mapping", "list", "override", "constant", "null", "over_null", "clash"),
    *("reference", "reference_in_text", "reference_nested", "reference_default"),
    *("reference_escaped", "reference_merged", "missing_reference", "cycle", "list_index"),
    *("yaml_scalars", "yaml_merge_keys", "class_files", "class_names", "class_references"),
    *("order", "metadata", "own_parameters"),
)


def test_all_rules_have_a_case() -> None:
    assert set(RULES) <= {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_output_is_the_expected_one(
    case: GoldenCase, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.write_files(tmp_path / "inventory")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(case.content["arguments"], posix=False)

    ran = CliRunner().invoke(explain, words, obj=Globals(tmp_path), catch_exceptions=False)

    golden.check(case, output=ran.output)
