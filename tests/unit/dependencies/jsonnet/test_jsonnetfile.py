"""Lists of Jsonnet libraries: what golden cases of functions cannot show."""

from __future__ import annotations

import pytest

from commodore_py.dependencies.jsonnet.jsonnetfile import (
    format_jsonnetfile,
    parse_jsonnetfile,
)
from commodore_py.errors import CommodoreError
from tests.support.tables import each


@each(
    ("text", "message", "line"),
    [
        ("[" * 100_000, "nested too deeply", 1),
        ('{"a":\n' + "9" * 5_000 + "}", "an integer of more than 4,300 digits", 2),
    ],
)
def test_too_large_content_is_error_with_line(text: str, message: str, line: int) -> None:
    with pytest.raises(CommodoreError, match=message) as caught:
        parse_jsonnetfile(text.encode(), "some/jsonnetfile.json")

    assert caught.value.where == f"some/jsonnetfile.json:{line}"


def test_binary_content_is_refused() -> None:
    with pytest.raises(CommodoreError, match="not a jsonnet-bundler file"):
        parse_jsonnetfile(b"\xff{}", "x")


def test_locks_are_written_as_go_does() -> None:
    content = format_jsonnetfile([{"source": "<&>é\u2028"}], legacy_imports=False)

    assert content.decode() == (
        '{\n  "version": 1,\n  "dependencies": [\n    {\n'
        '      "source": "\\u003c\\u0026\\u003eé\\u2028"\n    }\n  ],\n'
        '  "legacyImports": false\n}\n'
    )
