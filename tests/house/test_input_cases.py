"""Every input type has a case that both engines compile, and a place in the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from commodore_py.compiler.fields import OUTPUT_TYPES
from commodore_py.compiler.inputs import INPUT_TYPES
from tests.differential import test_helm
from tests.differential.test_engines import SCENARIOS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "inputs.md"

_USED = {entry["input_type"] for entries, _ in SCENARIOS.values() for entry in entries}
_WRITTEN = {entry.get("output_type") for entries, _ in SCENARIOS.values() for entry in entries}


@pytest.mark.parametrize("name", sorted(INPUT_TYPES))
def test_every_input_type_has_a_case(name: str) -> None:
    # Charts need many: they have a suite of their own.
    assert name in _USED or name in (test_helm.__doc__ or "").lower()


@pytest.mark.parametrize("name", sorted(set(OUTPUT_TYPES) - {"yaml", "yml"}))
def test_every_output_type_has_a_case(name: str) -> None:
    assert name in _WRITTEN


@pytest.mark.parametrize("name", sorted(INPUT_TYPES))
def test_every_input_type_is_documented(name: str) -> None:
    assert f"`{name}`" in REFERENCE.read_text("utf-8")
