"""The deviations' data is whole: a page generated from it, and a test behind every entry."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.house.deviations import DATA, PAGE, ROOT, Deviation, load, page
from tests.spec_report import ROWS, load_rows

DEVIATIONS = load(DATA)


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_the_page_matches_the_data() -> None:
    assert PAGE.read_text("utf-8") == page(DEVIATIONS), "run: python -m tests.house.deviations"


def test_ids_are_unique() -> None:
    counts = Counter(entry.id for entry in DEVIATIONS.entries)

    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("entry", DEVIATIONS.entries, ids=lambda entry: entry.id)
def test_every_field_has_a_text(entry: Deviation) -> None:
    texts = (entry.area, entry.title, entry.peer, entry.ours, entry.why, entry.switch_back)

    assert all(text.strip() for text in texts)


@pytest.mark.parametrize(
    "entry", [e for e in DEVIATIONS.entries if e.test], ids=lambda entry: entry.id
)
def test_the_named_test_exists(entry: Deviation) -> None:
    path, _, function = entry.test.partition("::")

    assert function.startswith("test_")
    assert function in functions_in(ROOT / path)


def test_only_listed_entries_go_without_a_test() -> None:
    assert {e.id for e in DEVIATIONS.entries if not e.test} == set(DEVIATIONS.untested)


def test_every_row_that_differs_has_an_entry() -> None:
    differing = {row.id for row in load_rows(ROWS) if row.peer == "differs"}
    rows = [row for entry in DEVIATIONS.entries for row in entry.rows]

    assert Counter([*rows, *DEVIATIONS.not_built_yet]) == Counter(differing)
