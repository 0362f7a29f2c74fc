"""Hierarchies on which our engine once differed from reclass-rs, or where it easily could.

`expected` is what reclass-rs makes of them, as JSON by target, `null` where it refuses; `--update`
asks reclass-rs, never our engine.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.differential.engines import ours
from tests.differential.oracle import Oracle
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.differential.oracle import Outcome
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)
FIELDS = ("applications", "classes", "parameters")


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as started:
        yield started


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_native_engine_matches_case(case: GoldenCase, tmp_path: Path) -> None:
    outcomes = ours(case.write_files(tmp_path), missing_ok=False)

    assert as_json(outcomes) == case.content["expected"]
    assert "crashed" not in {kind for kind, _ in outcomes.values()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reclass_rs_still_agrees(
    case: GoldenCase, golden: Golden, oracle: Oracle, tmp_path: Path
) -> None:
    oracle.ask(case.write_files(tmp_path), missing_ok=False)

    golden.check(case, expected=as_json(oracle.answer()))


def as_json(outcomes: dict[str, Outcome]) -> str:
    """Results of all targets as JSON that tells apart whatever YAML and Python do.

    Where reclass-rs dies, an error is what is wanted.
    """
    targets = {
        name: {field: encoded(what[field]) for field in FIELDS} if kind == "rendered" else None
        for name, (kind, what) in sorted(outcomes.items())
    }
    return json.dumps(targets, indent=1, ensure_ascii=False) + "\n"


def encoded(value: Any) -> Any:  # noqa: ANN401 - whatever a hierarchy holds
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: encoded(child) for key, child in value.items()}
        return {"(pairs)": [[encoded(key), encoded(child)] for key, child in value.items()]}
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"(float)": repr(value)}
    return value
