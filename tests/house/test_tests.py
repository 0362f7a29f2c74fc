"""Tests run on busy machines: none depends on speed, and `make` says how long they take."""

from __future__ import annotations

import re

from tests.house.code_map import ROOT

# A bound that only a program that hangs exceeds has nothing to do with speed.
_LEAST = 10
_BOUND = re.compile(
    r"assert (?:time\.\w+\(\) - \w+|\w*seconds|elapsed|took) <=? (?P<bound>\d*\.?\d+)"
)


def test_no_test_depends_on_speed() -> None:
    found = {
        f"{file.relative_to(ROOT)}: {match.group()}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for match in _BOUND.finditer(file.read_text("utf-8"))
        if float(match["bound"]) < _LEAST
    }

    assert found == set()


def test_tests_say_how_long_they_take_and_use_all_cores() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = {
        name: re.findall(rf"^{name}: .*\n(?:\t.*\n)+", makefile, re.MULTILINE)[0]
        for name in ("test", "unit")
    }

    assert "minutes" in rules["test"].split("\n")[1]
    assert all("-n auto" in rule for rule in rules.values())
    assert "not slow" in rules["unit"]
