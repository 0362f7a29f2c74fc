"""Files to lint, the words after `commodore inventory lint`, its output and exit code."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from commodore_py.inventory.lint import RULES
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)
# Needs a disk that fails, or a user who may not read everything: see the unit tests.
NOT_IN_A_REPOSITORY = {"files/unreadable"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lint_matches_case(
    case: GoldenCase,
    golden: Golden,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(case.write_files(tmp_path))

    code = run(("inventory", "lint", *shlex.split(case.content["arguments"])))

    captured = capsys.readouterr()
    golden.check(case, output=captured.out, exit_code=code)
    assert not captured.err


@pytest.mark.parametrize("rule", sorted(RULES.keys() - NOT_IN_A_REPOSITORY))
def test_all_rules_have_a_golden_case(rule: str) -> None:
    assert any(f" [{rule}]\n" in case.content["output"] for case in CASES)
