"""Policies in Rego: input, results, errors and a missing `opa`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters import time_limits
from commodore_py.adapters.time_limits import TimeLimits
from commodore_py.checks.base import PolicySettings
from commodore_py.checks.policy import check
from commodore_py.cli.output.problems import Outcome, shown
from commodore_py.model.verdict import Verdict
from tests.support.tables import each
from tests.support.tool_releases import write_program

from .build import a_deployment, an_object, checked

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.problem import Problem

OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""

needs_opa = pytest.mark.skipif(
    not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
)


@pytest.fixture(autouse=True)
def _opa_in_path(monkeypatch: pytest.MonkeyPatch) -> None:
    if OPA:
        monkeypatch.setenv("PATH", f"{os.path.dirname(OPA)}:{os.environ['PATH']}")  # noqa: PTH120


class Policies:
    """A folder of policies, and what they find."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "data").mkdir(parents=True)

    def write(self, **modules: str) -> None:
        for name, text in modules.items():
            (self.folder / f"{name}.rego").write_text(text)

    def settings(self, **more: Any) -> PolicySettings:  # noqa: ANN401 - its fields
        return PolicySettings(self.folder, "policies", **more)

    def problems(
        self,
        *objects: object,
        cache: Path | None = None,
        **settings: Any,  # noqa: ANN401 - as above
    ) -> list[Problem]:
        found = checked(
            *objects, only="policy", policy=self.settings(**settings), cache=cache
        ).problems
        return list(found)


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    return Policies(tmp_path / "policies")


def test_policy_check_without_policies_does_not_run(policies: Policies) -> None:
    (policies.folder / "a_test.rego").write_text("not Rego")

    assert checked(a_deployment(), only="policy", policy=policies.settings()).runs == ()


@needs_opa
def test_policies_see_masked_secret_values(policies: Policies) -> None:
    policies.write(
        a="""package main

deny_all contains json.marshal(input) if true

deny_plain contains key if { some key, value in input.stringData; not startswith(value, "?{") }
"""
    )
    values = {"a": "t0p-secret", "b": "?{vaultkv:t/c/x}"}
    secret = an_object("Secret", stringData=values, data={"c": "dDBwLXNlY3JldA=="})
    settings = policies.settings()

    result = checked(secret, only="policy", policy=settings)

    outcome = Outcome(Verdict(result.problems), "catalog check")
    forms = ("text", "json", "sarif", "markdown")
    text = repr(result) + "".join(shown(outcome, form, verbose=True) for form in forms)
    assert "?{vaultkv:t/c/x}" in text
    assert "t0p-secret" not in text
    assert "dDBwLXNlY3JldA" not in text
    assert [one.message for one in result.problems if one.code == "policy/plain"] == ["a"]


@needs_opa
@pytest.mark.parametrize("package", ["main", "catalog"])
def test_time_dependent_policy_is_not_cached(
    policies: Policies, tmp_path: Path, package: str
) -> None:
    text = 'contains sprintf("%d", [time.now_ns()]) if true'
    policies.write(a=f"package {package}\n\nwarn {text}\n")

    one, other = (policies.problems(an_object("Pod"), cache=tmp_path / "c") for _ in range(2))

    assert one[0].message != other[0].message


@needs_opa
def test_conflicting_rules_report_line(policies: Policies) -> None:
    policies.write(
        a="""package main

deny contains "c" if value == 3

value := 1 if print("a message on stderr")

value := 2 if input.metadata.name == "x"
"""
    )

    (problem,) = policies.problems(an_object("Pod"))

    assert (problem.code, problem.place.file) == ("policy/failed", "policies/a.rego")
    assert problem.place.line in {5, 7}
    assert "conflicting values" in problem.message


@pytest.mark.slow
@needs_opa
def test_endless_policy_is_ended(policies: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = "some i in numbers.range(1, 3000)"
    loop = f"count([1 | {numbers}; {numbers.replace('i', 'j', 1)}; i == 0 - j]) > 0"
    policies.write(a=f'package main\n\ndeny contains "a" if {loop}\n')
    monkeypatch.setattr(time_limits, "_current", TimeLimits(program=0.5))

    (problem,) = policies.problems(an_object("Pod"))

    assert problem.code == "policy/failed"
    assert "opa was ended after 0.5 seconds" in problem.message
    assert "time-limits.program" in problem.remedy


@needs_opa
def test_results_are_remembered(
    policies: Policies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies.write(a='package main\n\nwarn contains "evaluated" if true\n')
    cache = tmp_path / "cache"
    first = policies.problems(an_object("Pod"), cache=cache)

    with monkeypatch.context() as patch:
        patch.setattr(check, "evaluate", None)
        again = policies.problems(an_object("Pod"), cache=cache)
    policies.write(a='package main\n\nwarn contains "differs" if true\n')
    changed = policies.problems(an_object("Pod"), cache=cache)
    other = policies.problems(an_object("Pod", "y"), cache=cache)

    assert [one.message for one in first] == ["evaluated"]
    assert again == first
    assert [one.message for one in changed] == ["differs"]
    assert [one.place.object for one in other] == ["Pod y"]


STAND_IN = """#!{python}
import json, sys
if sys.argv[1] == "capabilities":
    print(json.dumps({{"builtins": [{{"name": "http.send"}}, {{"name": "count"}}]}}))
    sys.exit()
with open("capabilities.json") as file:
    assert "count" in (builtins := file.read()) and "http.send" not in builtins
if sys.argv[-1] == "data.commodore_query.found":
    print(open("{answers}/found.json").read())
else:
    print(open("{answers}/heads.json").read())
"""


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the answers of a program `opa`, which is the only one in PATH."""
    answers = tmp_path / "answers"
    answers.mkdir()
    text = STAND_IN.format(python=sys.executable, answers=answers)
    write_program(tmp_path / "bin", "opa", text.encode())
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    head = {"ref": [{"type": "var", "value": "deny_a"}], "key": {"type": "var", "value": "msg"}}
    answer(answers, "heads", [["a.rego", ["data", "main"], [head]]])
    return answers


def answer(folder: Path, name: str, value: object) -> None:
    content = {"result": [{"expressions": [{"value": value}]}]}
    (folder / f"{name}.json").write_text(json.dumps(content))


def test_results_of_the_program_become_problems(policies: Policies, answers: Path) -> None:
    policies.write(a="package main")
    answer(answers, "found", [[1, 0, ["text", {"msg": "object", "field": "spec", "remedy": "r"}]]])

    problems = policies.problems(an_object("Pod", "a"), an_object("Pod", "b"))

    assert [
        (one.code, one.message, one.place.object, one.place.field, one.remedy) for one in problems
    ] == [
        ("policy/a", "text", "Pod b", "", ""),
        ("policy/a", "object", "Pod b", "spec", "r"),
    ]


@each(
    "output",
    ["", "no JSON", "[1]", "{" * 3, '{"result": [1]}', '{"result": []}']
    + [
        json.dumps({"result": [{"expressions": [{"value": value}]}]})
        for value in (1, [1], [[1, 2]], [[9, 0, ["a"]]], [[0, 9, ["a"]]], [["a", 0, ["a"]]])
    ],
)
def test_unexpected_opa_output_is_an_error(policies: Policies, answers: Path, output: str) -> None:
    policies.write(a="package main")
    (answers / "found.json").write_text(output)

    (problem,) = policies.problems(an_object("Pod"))

    assert (problem.severity, problem.code) == ("error", "policy/failed")
    assert "the policies cannot be evaluated: opa printed something unexpected" in problem.message


def test_missing_syntax_tree_is_an_error(policies: Policies, answers: Path) -> None:
    policies.write(a="package main", b="package other")
    answer(answers, "found", [])

    (problem,) = policies.problems(an_object("Pod"))

    assert problem.code == "policy/failed"
    assert "the rules of some policies are not known" in problem.remedy


def test_failing_opa_is_an_error(policies: Policies, tmp_path: Path) -> None:
    policies.write(a="package main")
    write_program(tmp_path / "bin", "opa", b"#!/bin/sh\necho broken >&2\nexit 3\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}/bin")
        (problem,) = policies.problems(an_object("Pod"))

    assert problem.code == "policy/failed"
    assert "failed with status 3: broken" in problem.message


def test_policies_without_opa(policies: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    policies.write(a='package main\n\nwarn contains "a" if true\n')
    monkeypatch.setenv("PATH", str(policies.folder))

    result = checked(an_object("Pod"), only="policy", policy=policies.settings())
    (warning,) = policies.problems(an_object("Pod"), without_opa="warning")

    (problem,) = result.problems
    assert (problem.code, problem.severity) == ("policy/not-installed", "error")
    assert "commodore tool install opa" in problem.message
    assert [one.outcome for one in result.runs] == ["skipped"]
    assert (warning.code, warning.severity) == ("policy/not-installed", "warning")
