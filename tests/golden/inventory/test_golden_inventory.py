"""Hierarchies on which our engine once differed from reclass-rs, or where it easily could.

`<case>/classes` and `<case>/targets` go in; `<case>/expected.json` is what reclass-rs made of them
(`python -m tests.differential.golden`), by target, `null` where it refuses.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.differential.engines import ours
from tests.differential.golden import by_oracle, text_of
from tests.differential.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
CASES = sorted(folder.name for folder in HERE.iterdir() if (folder / "targets").is_dir())


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as started:
        yield started


@pytest.mark.parametrize("case", CASES)
def test_our_engine_renders_what_the_case_expects(case: str) -> None:
    outcomes = ours(HERE / case, missing_ok=False)

    assert text_of(outcomes) == (HERE / case / "expected.json").read_text()
    assert "crashed" not in {kind for kind, _ in outcomes.values()}


@pytest.mark.parametrize("case", CASES)
def test_reclass_rs_still_agrees(case: str, oracle: Oracle) -> None:
    assert by_oracle(HERE / case, oracle) == (HERE / case / "expected.json").read_text()
