"""Policies in Rego: what they get, what becomes of their results, what is refused and survived."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.checks.base import PolicySettings
from commodore_py.cli.output.problems import shown
from commodore_py.cli.output.problems.outcome import Outcome
from commodore_py.model.problems.codes import is_known
from commodore_py.model.verdict import Verdict

from .build import a_deployment, an_object, checked

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.problem import Problem

NO_OPA = "there is no opa in PATH: install it, or set COMMODORE_OPA to one"
OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("regorus") is None, reason="the extra `policy` is not installed"
)
both = pytest.mark.parametrize(
    "engine",
    [
        pytest.param("", marks=needs_library),
        pytest.param("opa", marks=pytest.mark.skipif(not OPA, reason=NO_OPA)),
    ],
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

    def found(self, *objects: object, **settings: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401 - as above
        return [
            (one.severity, one.code, one.message) for one in self.problems(*objects, **settings)
        ]


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    return Policies(tmp_path / "policies")


def test_nothing_without_policies(policies: Policies) -> None:
    (policies.folder / "a_test.rego").write_text("not Rego")

    assert checked(a_deployment(), only="policy", policy=policies.settings()).runs == ()


@both
def test_kinds_of_rules_and_of_results(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package main

deny contains msg if { input.kind == "ConfigMap"; msg := sprintf("not %s", [input.metadata.name]) }

violation_size contains {"msg": "too large", "field": "data", "remedy": "split it"} if input.data

warn_a_b contains "consider" if true

deny_other contains "not this" if input.kind == "Pod"

helper contains "not a problem"
""",
        b="package team.shop\n\nwarn contains `a team's` if true\n",
        c='package listed\n\nviolation := [{"msg": "in a list"}] if input.kind == "ConfigMap"\n',
    )

    problems = policies.problems(an_object("ConfigMap", data={"a": "b"}), engine=engine)

    assert sorted((one.severity, one.code, one.message) for one in problems) == [
        ("error", "policy/listed", "in a list"),
        ("error", "policy/main", "not x"),
        ("error", "policy/size", "too large"),
        ("warning", "policy/a_b", "consider"),
        ("warning", "policy/team.shop", "a team's"),
    ]
    (size,) = (one for one in problems if one.code == "policy/size")
    assert (size.place.object, size.place.field, size.remedy) == (
        "ConfigMap x",
        "data",
        "split it",
    )
    assert is_known("policy/anything")


@both
def test_exceptions_are_infos(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package main

deny_root contains "as root" if true

deny contains "plain" if true

exception contains ["root"] if input.metadata.name == "one"

exception contains [""] if input.metadata.name == "two"
"""
    )

    found = policies.found(an_object("Pod", "one"), an_object("Pod", "two"), engine=engine)

    assert found == [
        ("error", "policy/main", "plain"),
        ("info", "policy/root", "as root (an exception applies)"),
        ("info", "policy/main", "plain (an exception applies)"),
        ("error", "policy/root", "as root"),
    ]


@both
def test_data_and_what_is_known_about_the_cluster(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package main

warn contains msg if {
  known := data.commodore
  values := [known.cluster.name, known.facts.cloud, known.version, known.origin.component]
  msg := concat(" ", array.concat(values, data.lists.one))
}
"""
    )
    (policies.folder / "data" / "a.json").write_text('{"lists": {"one": ["more"]}}')
    (policies.folder / "data" / "b.json").write_text('{"lists": {"two": []}}')

    found = policies.found(
        an_object("ConfigMap"),
        engine=engine,
        about={"cluster": {"name": "c-one"}, "facts": {"cloud": "none"}},
        origins={"web": {"component": "comp"}},
    )

    assert found == [("warning", "policy/main", "c-one none 1.34 comp more")]


@both
def test_package_catalog_gets_all_objects(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package catalog

deny_many contains {"msg": "more than one", "object": input[1].contents} if count(input) > 1

warn_paths contains input[0].path if true
"""
    )

    problems = policies.problems(an_object("Pod", "a"), an_object("Pod", "b"), engine=engine)

    assert [(one.code, one.place.object, one.message) for one in problems] == [
        ("policy/many", "Pod b", "more than one"),
        ("policy/paths", "", "web/out.yaml"),
    ]


@both
def test_values_of_secrets_are_not_seen(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package main

deny_all contains json.marshal(input) if true

deny_plain contains key if { some key, value in input.stringData; not startswith(value, "?{") }
"""
    )
    values = {"a": "t0p-secret", "b": "?{vaultkv:t/c/x}"}
    secret = an_object("Secret", stringData=values, data={"c": "dDBwLXNlY3JldA=="})
    settings = policies.settings(engine=engine)

    result = checked(secret, only="policy", policy=settings)

    outcome = Outcome(Verdict(result.problems), "catalog check")
    forms = ("text", "json", "sarif", "markdown")
    text = repr(result) + "".join(shown(outcome, form, verbose=True) for form in forms)
    assert "?{vaultkv:t/c/x}" in text
    assert "t0p-secret" not in text
    assert "dDBwLXNlY3JldA" not in text
    assert [one.message for one in result.problems if one.code == "policy/plain"] == ["a"]


@both
def test_what_is_refused_is_reported_at_once(policies: Policies, engine: str) -> None:
    policies.write(
        good='package main\n\nwarn contains "evaluated" if true\n',
        old="package main\n\ndeny[msg] { msg := 1 }\n",
        no_set="package main\n\ndeny_x if input.kind\n\nwarn[msg] if { msg := 1 }\n",
        network='package main\n\ndeny contains "a" if {\n  http.send({"url": "x"})\n}\n',
        machine="package main\n\nx := opa.runtime().env\n",
        unknown='package main\n\nimport data.lib\n\ndeny contains "a" if nosuch.thing(lib.f(1))\n',
        taken='package main\n\ndeny_failed contains "a"\n',
    )

    problems = policies.problems(an_object("Pod"), engine=engine)

    places = {one.place.position for one in problems if one.code == "policy/refused"}
    assert places >= {
        "policies/old.rego:3",
        "policies/no_set.rego:3",
        "policies/no_set.rego:5",
        "policies/network.rego:4",
        "policies/machine.rego:3",
        "policies/unknown.rego:5",
        "policies/taken.rego:3",
    }
    assert [one.message for one in problems if one.code == "policy/main"] == ["evaluated"]


@needs_library
def test_a_missing_function_of_the_program_is_named(policies: Policies) -> None:
    policies.write(a='package main\n\ndeny contains "a" if not uri.is_valid(input.kind)\n')

    (problem,) = policies.problems(an_object("Pod"))

    assert problem.message == "the engine has no built-in function uri.is_valid"
    assert "function of the program opa" in problem.remedy


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a", "{", "not valid JSON"),
        ("a", "[]", "not a mapping"),
        ("a", '{"commodore": 1}', "reserved"),
        ("b", '{"lists": 1}', "data.lists is in another file"),
    ],
)
@needs_library
def test_data_that_is_refused(policies: Policies, name: str, content: str, said: str) -> None:
    policies.write(a='package main\n\nwarn contains "a" if true\n')
    (policies.folder / "data" / "a.json").write_text('{"lists": {}}')
    (policies.folder / "data" / f"{name}.json").write_text(content)

    refused = [one for one in policies.problems(an_object("Pod")) if one.code == "policy/refused"]

    assert [one.place.file for one in refused] == [f"policies/data/{name}.json"]
    assert said in refused[0].message


LOOP = """
  some_ := numbers.range(1, 3000)
  [1 | some i in some_; some j in some_; some k in some_; i == 0 - j - k]
"""
CRASH = """
deny_crash contains "a" if { input.metadata.name == "b"; f(1) }

f(x) := g(x)

g(x) := f(x)
"""


@needs_library
def test_a_crash_ends_one_policy_for_one_object(policies: Policies) -> None:
    policies.write(
        a=f"package main\n{CRASH}",
        b='package other\n\nwarn contains "evaluated" if true\n',
    )

    found = policies.found(*(an_object("Pod", name) for name in "abc"))

    assert found.count(("warning", "policy/other", "evaluated")) == 3
    failed = [message for _, code, message in found if code == "policy/failed"]
    assert failed == ["deny_crash of package main failed: the engine crashed"]


@pytest.mark.slow
@both
def test_a_policy_without_an_end(policies: Policies, engine: str) -> None:
    policies.write(
        a=f'package main\n\ndeny_loop contains "a" if {{\n  input.metadata.name == "b"{LOOP}}}\n',
        b='package other\n\nwarn contains "evaluated" if true\n',
    )

    found = policies.found(an_object("Pod", "a"), an_object("Pod", "b"), engine=engine, seconds=1)

    assert found.count(("warning", "policy/other", "evaluated")) == 2
    ((_, code, message),) = (one for one in found if one[1] != "policy/other")
    assert code == "policy/failed"
    assert ("took more than 1 second" if not engine else "was ended") in message


@needs_library
def test_a_policy_that_fails_for_all_objects_is_given_up(policies: Policies) -> None:
    policies.write(a=f"package main\n{CRASH.replace(' == ', ' != ')}")

    problems = policies.problems(*(an_object("Pod", f"p{at}") for at in range(9)))

    assert [one.place.object for one in problems] == ["Pod p0", "Pod p1", "Pod p2", ""]
    assert "not evaluated for all objects" in problems[-1].message


@both
def test_an_error_of_one_rule_is_that_rules_problem(policies: Policies, engine: str) -> None:
    policies.write(
        a="""package main

deny_conflict contains found if {
  found := sprintf("%v", [value])
}

value := 1 if input.kind == "Pod"

value := 2 if input.metadata.name == "x"

deny_number contains 7 if input.kind == "Pod"

warn contains "evaluated" if true
"""
    )

    found = policies.found(an_object("Pod"), an_object("Pod", "y"), engine=engine)

    codes = [code for _, code, _ in found]
    assert codes.count("policy/main") == 2
    assert sorted(message.partition(" of ")[0] for _, code, message in found if "fail" in code) == [
        "deny_conflict",
        "deny_number",
        "deny_number",
    ]


@needs_library
def test_results_are_remembered(policies: Policies, tmp_path: Path) -> None:
    policies.write(a='package main\n\nwarn contains "evaluated" if true\n')
    cache = tmp_path / "cache"
    first = policies.problems(an_object("Pod"), cache=cache)

    # No engine starts in this time.
    again = policies.problems(an_object("Pod"), cache=cache, seconds=0.000_001)
    policies.write(a='package main\n\nwarn contains "differs" if true\n')
    changed = policies.problems(an_object("Pod"), cache=cache)

    assert [one.message for one in first] == ["evaluated"]
    assert again == first
    assert [one.message for one in changed] == ["differs"]


@needs_library
@pytest.mark.parametrize("package", ["main", "catalog"])
def test_what_depends_on_the_time_is_evaluated_in_each_run(
    policies: Policies, tmp_path: Path, package: str
) -> None:
    text = 'contains sprintf("%d", [time.now_ns()]) if true'
    policies.write(a=f"package {package}\n\nwarn {text}\n")

    one, other = (policies.problems(an_object("Pod"), cache=tmp_path / "c") for _ in range(2))

    assert one[0].message != other[0].message


@needs_library
def test_the_engine_has_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from commodore_py.adapters.isolated import Session

    monkeypatch.setenv("VAULT_TOKEN", "s.secret")
    session = Session(bare=True)

    names = set(session.call("os:getenvb", b"VAULT_TOKEN") or ())
    home = session.call("os:getenv", "HOME")
    session.close()

    assert (names, home) == (set(), None)


def test_policies_without_an_engine(policies: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    policies.write(a='package main\n\nwarn contains "a" if true\n')
    monkeypatch.setenv("PATH", str(policies.folder))

    result = checked(an_object("Pod"), only="policy", policy=policies.settings(engine="opa"))

    assert [(one.code, one.severity) for one in result.problems] == [
        ("policy/not-installed", "error")
    ]
    assert [one.outcome for one in result.runs] == ["skipped"]


SCRIPT = """
import sys
from pathlib import Path

from commodore_py.checks.base import PolicySettings
from commodore_py.checks.run import Settings, check_catalog
sys.path[:] = [one for one in sys.path if "site-packages" not in one]
policy = PolicySettings(Path(sys.argv[1]), "policies")
found = check_catalog({}, Settings(policy=policy))
print(*(f"{one.code} {one.remedy}" for one in found.problems), sep="\\n")
loaded = {one.partition(".")[0] for one in sys.modules}
print(loaded & {"regorus", "subprocess"})
"""


def test_policies_without_the_extra(policies: Policies) -> None:
    policies.write(a='package main\n\nwarn contains "a" if true\n')

    def run() -> list[str]:
        command = [sys.executable, "-c", SCRIPT, str(policies.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )

    with_policies = run()
    (policies.folder / "a.rego").unlink()
    without = run()

    missing = "policy/not-installed install commodore-py with the extra policy"
    assert missing in with_policies
    assert missing not in without
    assert without[-2] == "set()"
