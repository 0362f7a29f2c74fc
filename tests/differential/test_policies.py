"""Policies by the library and by the program `opa`: the same results, or a visible failure."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.checks.policy.builtins import FORBIDDEN, MISSING, SUPPORTED
from commodore_py.checks.policy.engine import InProcess
from commodore_py.checks.policy.program import Program
from commodore_py.checks.policy.rules import WHOLE_CATALOG, Rule
from commodore_py.checks.policy.sources import Policies, policies_in
from commodore_py.checks.policy.worker import Job
from tests.differential.policy_rules import make_objects, make_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.checks.policy.engine import Engine

FOLDER = Path(__file__).parent / "policies"
OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""
ABOUT = {
    "cluster": {"name": "c-one", "tenant": "t-one"},
    "facts": {"cloud": "none"},
    "version": "1.34",
    "origin": {"instance": "web", "component": "web", "version": "v1.2.3"},
}

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("regorus") is None, reason="the extra `policy` is not installed"
    ),
    pytest.mark.skipif(
        not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
    ),
]

# An empty text is everywhere for the library, and an error for the program.
_DOCUMENTED = re.compile(r'indexof\(.*, ""\)')
Found = dict[Rule, Any]


@pytest.fixture
def engines() -> Iterator[tuple[InProcess, Program]]:
    library, program = InProcess(), Program(60, OPA)
    yield library, program
    library.close()
    program.close()


def results(engine: Engine, rules: Sequence[Rule], inputs: Sequence[Any]) -> list[Found]:
    jobs = [Job(json.dumps(one), json.dumps(ABOUT)) for one in inputs]
    return [
        {
            one.rule: f"failed: {one.failed}" if one.failed else (one.exempt, in_order(one.values))
            for one in found
        }
        for found in engine.evaluate(jobs, rules)
    ]


def in_order(values: str) -> list[str]:
    # Documented: what Go writes where a verb of sprintf does not fit its value.
    plain = re.sub(r"%![a-z]\((?:int|int64|float64|string)=(.*?)\)", r"\1", values)
    return sorted(json.dumps(one, sort_keys=True) for one in json.loads(plain))


def loaded(engine: Engine, policies: Policies) -> tuple[Rule, ...]:
    found = engine.load(policies)
    assert found.refused == ()
    return found.rules


def test_policies_for_kubernetes(engines: tuple[InProcess, Program]) -> None:
    policies = policies_in(FOLDER, "policies")
    library, program = engines
    rules = loaded(library, policies)
    assert loaded(program, policies) == rules
    assert len(rules) == 30
    objects = make_objects(Random(22), 120)  # noqa: S311 - the same in each run
    of_objects = [one for one in rules if one.package != WHOLE_CATALOG]

    ours, theirs = (results(one, of_objects, objects) for one in engines)
    catalog = [[{"path": "a.yaml", "contents": one} for one in objects]]
    whole = [one for one in rules if one.package == WHOLE_CATALOG]
    of_catalog = [results(one, whole, catalog) for one in engines]

    assert ours == theirs
    assert of_catalog[0] == of_catalog[1]
    # Each policy finds something, and not everywhere.
    for rule in of_objects:
        assert 0 < sum(rule in one for one in ours) < len(objects), rule
    assert of_catalog[0][0]


def test_made_up_rules(engines: tuple[InProcess, Program]) -> None:
    compare_made_up(engines, seed=14, rules=200, objects=12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_made_up_rules(engines: tuple[InProcess, Program], seed: int) -> None:
    compare_made_up(engines, seed=seed, rules=400, objects=30)


def compare_made_up(
    engines: tuple[InProcess, Program], *, seed: int, rules: int, objects: int
) -> None:
    random = Random(seed)  # noqa: S311 - as above
    texts = list(make_rules(random, rules))
    data = policies_in(FOLDER, "policies").data
    library, program = engines
    # What the program refuses (a comparison of types that never are equal) is left out.
    valid = Policies((("made-up.rego", one_module(accepted(engines, texts, data))),), data)
    known = loaded(library, valid)
    assert loaded(program, valid) == known
    assert len(known) > rules * 0.7
    inputs = make_objects(random, objects)

    compared, differing = 0, []
    for ours, theirs in zip(*(results(one, known, inputs) for one in engines), strict=True):
        for rule in known:
            mine = ours.get(rule)
            compared += 1
            text = texts[int(rule.key[1:])]
            visible = str(mine).startswith("failed: ") or _DOCUMENTED.search(text)
            if not visible and mine != theirs.get(rule):
                differing.append((text, mine, theirs.get(rule)))

    assert compared > rules * objects * 0.7
    assert differing == []


def one_module(texts: Sequence[str]) -> str:
    return "\n".join(("package main\n", *texts))


def accepted(engines: Sequence[Engine], texts: Sequence[str], data: Mapping[str, Any]) -> list[str]:
    """The rules that both engines take; each refuses visibly."""
    left = list(texts)
    while True:
        policies = Policies((("all.rego", one_module(left)),), data)
        refused = [one for engine in engines for one in engine.load(policies).refused]
        if not refused:
            return left
        starts = [2 + sum(text.count("\n") + 1 for text in left[:at]) for at in range(len(left))]
        bad = {max(at for at, start in enumerate(starts) if start < one.line) for one in refused}
        left = [text for at, text in enumerate(left) if at not in bad]


def test_built_in_functions_are_those_of_the_program() -> None:
    import subprocess

    shown = subprocess.run([OPA, "capabilities", "--current"], capture_output=True, check=True)
    builtins = [
        one["name"]
        for one in json.loads(shown.stdout)["builtins"]
        if not one.get("infix") and not one["name"].startswith("internal.")
    ]

    assert set(builtins) - {"eq", "assign"} == SUPPORTED | MISSING | FORBIDDEN
