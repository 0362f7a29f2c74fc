"""Codes of problems: each is known and of the form `area/name`."""

from __future__ import annotations

import ast
import re

from commodore_py.model.problems.codes import CHECKS, CODES, LINT, NOTICES, PLANS
from tests.house.code_map import ROOT, modules


def calls_of_problem() -> list[tuple[str, ast.Call]]:
    """Every call that makes a problem, and its file and line."""
    return [
        (f"{module.path.relative_to(ROOT)}:{node.lineno}", node)
        for module in modules().values()
        for node in ast.walk(ast.parse(module.path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"
    ]


def test_every_notice_has_a_known_code() -> None:
    calls = calls_of_problem()
    codes = {
        place: keyword.value.value
        for place, call in calls
        for keyword in call.keywords
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant)
    }

    assert len(calls) > 20
    assert [place for place, _ in calls if place not in codes] == []
    assert set(codes.values()) <= NOTICES.keys()


def test_a_code_has_one_meaning() -> None:
    assert len(CODES) == sum(map(len, (LINT, NOTICES, CHECKS, PLANS)))
    assert [code for code in CODES if not re.fullmatch(r"[a-z-]+/[a-z0-9-]+", code)] == []
