"""Every attack that once succeeded has a result, and a test that holds it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.house.attacks import DATA, GROUPS, PAGE, ROOT, Attack, load, page

FINDINGS = ROOT.parent / "shared" / "robust" / "findings.md"
ATTACKS = load(DATA)


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def is_a_test(test: str) -> bool:
    path, _, function = test.partition("::")
    return (
        path.startswith("tests/")
        and function.startswith("test_")
        and (ROOT / path).is_file()
        and function in functions_in(ROOT / path)
    )


def test_every_finding_has_a_block() -> None:
    if not FINDINGS.is_file():
        pytest.skip("put the findings beside the project, as ../shared/robust/findings.md")

    found = re.findall(r"^\| ([A-F][0-9]{3}) \|", FINDINGS.read_text("utf-8"), re.MULTILINE)

    assert len(found) > 100
    assert sorted({attack.id for attack in ATTACKS}) == sorted(set(found))


def test_every_block_belongs_to_a_group_and_says_what_is_done() -> None:
    assert {attack.id[0] for attack in ATTACKS} == GROUPS.keys()
    assert [attack.id for attack in ATTACKS if not attack.done.strip()] == []


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_the_named_tests_exist(attack: Attack) -> None:
    assert [test for test in attack.tests if not is_a_test(test)] == []


def test_every_block_has_a_result_and_a_test() -> None:
    assert [attack.id for attack in ATTACKS if not attack.is_filled] == []


def test_the_page_matches_the_data() -> None:
    assert PAGE.read_text("utf-8") == page(ATTACKS), "run: python -m tests.house.attacks"
