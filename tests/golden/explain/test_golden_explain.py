"""Golden cases: a small hierarchy, a question, and the answer as a terminal shows it.

`<case>/classes` and `<case>/targets` are the hierarchy, `<case>/query` the words after
`commodore inventory explain`, `<case>/expected` what it prints.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from commodore_py.cli.commands.explain import explain
from commodore_py.cli.settings.options import Globals

HERE = Path(__file__).parent
CASES = sorted(folder.parent.name for folder in HERE.glob("*/query"))
WIDTH = 80

# A case or more for each merge rule that a value can show.
RULES = (
    *("scalar", "mapping", "list", "override", "constant", "null", "over_null", "clash"),
    *("reference", "reference_in_text", "reference_nested", "reference_default"),
    *("reference_escaped", "reference_merged", "missing_reference", "cycle", "list_index"),
    *("yaml_scalars", "yaml_merge_keys", "class_files", "class_names", "class_references"),
    *("order", "metadata", "own_parameters"),
)


def test_every_rule_has_a_case() -> None:
    assert set(RULES) <= set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_answer_is_the_expected_one(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inventory").symlink_to(HERE / case)
    monkeypatch.chdir(tmp_path)
    words = shlex.split((HERE / case / "query").read_text("utf-8"), posix=False)
    words = [word.replace("classes/", "inventory/classes/") for word in words]

    ran = CliRunner().invoke(explain, words, obj=Globals(tmp_path), catch_exceptions=False)

    assert ran.output == (HERE / case / "expected").read_text("utf-8")
    assert max(map(len, ran.output.splitlines())) <= WIDTH
