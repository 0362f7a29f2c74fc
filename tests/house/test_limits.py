"""The limits on the page about security are those of the code."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.house.code_map import PACKAGE, ROOT

PAGE = ROOT / "docs" / "explanation" / "security.md"

_ROW = re.compile(
    r"^\|[^|]*\| (?P<what>[^|]+) \| (?P<limit>[\d,]+(?: [KMG]iB)?) \|"
    r" `(?P<file>[a-z_/]+\.py): (?P<name>\w+)` \|$",
    re.MULTILINE,
)
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"))

ROWS = [found.groups() for found in _ROW.finditer(PAGE.read_text("utf-8"))]


def written(value: float) -> set[str]:
    """The ways to write a limit."""
    ways = {f"{value:,.0f}"}
    return ways | {f"{value / size:.0f} {unit}" for size, unit in _UNITS if value % size == 0}


def test_the_table_is_found() -> None:
    assert len(ROWS) > 30


@pytest.mark.parametrize(("what", "limit", "file", "name"), ROWS, ids=lambda cell: cell)
def test_a_limit_is_that_of_the_code(what: str, limit: str, file: str, name: str) -> None:
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    assert limit in written(getattr(import_module(f"{PACKAGE}.{module}"), name)), what


def test_limits_are_written_with_a_unit_or_with_separators() -> None:
    assert written(2 << 30) == {"2 GiB", "2048 MiB", "2,147,483,648"}
    assert written(5) == {"5"}
