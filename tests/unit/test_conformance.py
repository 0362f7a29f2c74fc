"""What the conformance verb runs, what it misses, and the table that it makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance import command, main, results_of, table_of

if TYPE_CHECKING:
    import pytest

WRITTEN = """{"cases": {
  "org/b/one": {"status": "pass", "seconds": 1.26},
  "org/a/two": {"status": "diff", "seconds": 2},
  "org/a/one": {"status": "no-mirror"}
}}"""


def test_the_engine_reaches_what_is_run() -> None:
    words = command(Path("/r/conformance.py"), Path("/m"), "reference", ["x", "y"])

    ours = words[words.index("--cli") + 1].split()
    assert ours[:2] == ["env", "COMMODORE_COMPONENT_COMPILE_ENGINE=reference"]
    assert ours[-1].endswith("/commodore")
    assert [words[at + 1] for at, word in enumerate(words) if word == "--only"] == ["x", "y"]


def test_test_can_take_the_place_of_compile() -> None:
    words = command(Path("/r/conformance.py"), Path("/m"), "native", [], via="test")

    ours = words[words.index("--cli") + 1].split()
    assert "COMMODORE_PACKAGE_TEST_ENGINE=native" in ours
    assert ours[-1] == "as-test"
    assert words[words.index("--out") + 1].endswith("native-test.json")


def test_the_table_has_a_line_per_case_and_a_column_per_engine() -> None:
    native = results_of(json.loads(WRITTEN), "native")
    other = [one for one in results_of(json.loads(WRITTEN), "reference") if one.case != "org/a/two"]

    lines = table_of([*native, *other], "2026-01-02").splitlines()

    assert lines == [
        "2026-01-02: byte-identical with engine native 1 of 3, with engine reference 1 of 2.",
        "",
        "| case | native | reference |",
        "|---|---|---|",
        "| org/a/one | not run | not run |",
        "| org/a/two | diff | not run |",
        "| org/b/one | same, 1.3 s | same, 1.3 s |",
    ]


def test_what_is_missing_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runner = tmp_path / "conformance.py"

    assert main(["run", "--runner", str(runner), "--mirrors", str(tmp_path)]) == 2
    assert str(runner) in capsys.readouterr().err

    runner.touch()
    assert main(["run", "--runner", str(runner)]) == 2
    assert "MIRRORS=" in capsys.readouterr().err
    assert main(["run", "--runner", str(runner), "--mirrors", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
