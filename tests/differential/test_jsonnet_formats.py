"""Sums in place of formats have the values, and the failures, of the formats."""

from __future__ import annotations

import _gojsonnet
from hypothesis import given

from commodore_py.tuning.jsonnet_formats import with_sums

from .jsonnet_programs import programs


def outcome(code: str) -> str:
    """The value; of failures, only that there is none."""
    files = {"x": b"text %s"}
    try:
        value: str = _gojsonnet.evaluate_snippet(
            "code", code, import_callback=lambda _, name: (name, files[name])
        )
    except RuntimeError:
        return "failed"
    return value


@given(programs())
def test_sums_are_what_formats_are(code: str) -> None:
    changed = with_sums(code.encode()).decode()

    assert outcome(changed) == outcome(code)
    assert changed.count("\n") == code.count("\n")
