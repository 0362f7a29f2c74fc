"""Golden cases: words of a command line, files to lint, what is printed and the exit code.

`<case>/arguments` are the words behind `inventory lint`, said in the folder of the case, and
`<case>/expected` is the output, with the exit code as its last line.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from commodore_py.cli import run
from commodore_py.inventory.lint import RULES

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/arguments"))
# Needs a disk that fails, or a user who may not read everything: see the unit tests.
NOT_IN_A_REPOSITORY = {"files/unreadable"}


@pytest.mark.spec("11.18", "11.19", "11.20", "11.21", "11.22")
@pytest.mark.parametrize("case", CASES)
def test_lint_finds_what_the_case_expects(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(HERE / case)
    words = shlex.split(Path("arguments").read_text("utf-8"))

    code = run(("inventory", "lint", *words))

    captured = capsys.readouterr()
    assert f"{captured.out}exit {code}\n" == Path("expected").read_text("utf-8")
    assert not captured.err


@pytest.mark.parametrize("rule", sorted(RULES.keys() - NOT_IN_A_REPOSITORY))
def test_every_rule_has_a_golden_case(rule: str) -> None:
    assert any(f" [{rule}]\n" in (HERE / case / "expected").read_text("utf-8") for case in CASES)
