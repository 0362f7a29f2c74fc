"""Values of a chart as Helm reads them; golden cases of functions show the arguments."""

from __future__ import annotations

from commodore_py.compiler.inputs.helm_arguments import (
    values_text,
)
from tests.support.tables import each


@each(
    ("text", "written"),
    [
        ("0123", "'0123'"),
        ("007", "'007'"),
        ("0189", "'0189'"),
        ("1234567", "'1234567'"),
        ("123456", "'123456'"),
        ("1e5", "1e5"),
        ("0", "'0'"),
        ("yes", "'yes'"),
        ("one\ntwo\n", "'one\n\n  two\n\n  '"),
        ("ü", '"\\xFC"'),
    ],
)
def test_ambiguous_strings_are_quoted_for_helm(text: str, written: str) -> None:
    assert values_text({"a": text}) == f"a: {written}\n"
