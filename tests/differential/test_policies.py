"""Policies evaluated for all objects at once, and by plain `opa eval` for one after the other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commodore_py.checks.policy.opa import WHOLE_CATALOG, Policies, Result, evaluate

FOLDER = Path(__file__).parent / "policies"
OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""
ABOUT = {
    "cluster": {"name": "c-one", "tenant": "t-one"},
    "facts": {"cloud": "none"},
    "version": "1.34",
}
ORIGIN = {"instance": "web", "component": "web", "version": "v1.2.3"}

pytestmark = pytest.mark.skipif(
    not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
)

Values = dict[tuple[int, str, str], Any]


def test_policies_for_kubernetes(tmp_path: Path) -> None:
    lines = (FOLDER / "objects.jsonl").read_text("utf-8").splitlines()
    contents = [json.loads(line) for line in lines]
    objects = [{"path": "a.yaml", "instance": "web", "contents": one} for one in contents]
    given = {"about": ABOUT, "origins": {"web": ORIGIN}, "objects": objects}

    results, problems = evaluate(OPA, Policies.read(FOLDER, "policies"), given)

    catalog = [{"path": one["path"], "contents": one["contents"]} for one in objects]
    expected = rules_of(tmp_path, catalog, -1, {**ABOUT, "origin": {}})
    for at, content in enumerate(contents):
        expected |= rules_of(tmp_path, content, at, {**ABOUT, "origin": ORIGIN})
    assert problems == []
    assert by_rule(results) == expected
    # Each policy finds something, and not everywhere.
    for rule in {one[1:] for one in expected}:
        found = sum(one[1:] == rule for one in expected)
        assert 0 < found < len(contents), rule


def by_rule(results: list[Result]) -> Values:
    return {(one.at, ".".join(one.rule.package), one.rule.name): one.value for one in results}


def rules_of(folder: Path, given: object, at: int, about: object) -> Values:
    """The values of rules for one input, without empty ones."""
    (folder / "about.json").write_text(json.dumps({"commodore": about}))
    lists = next((FOLDER / "data").glob("*.json"))
    data = [f"--data={one}" for one in (*FOLDER.glob("*.rego"), lists, folder / "about.json")]
    command = [OPA, "eval", "--stdin-input", *data, "data"]
    ran = subprocess.run(command, input=json.dumps(given).encode(), stdout=-1, check=True)
    packages = json.loads(ran.stdout)["result"][0]["expressions"][0]["value"]
    return {
        (at, package, name): value
        for package, rules in packages.items()
        if (package == WHOLE_CATALOG) == (at < 0) and isinstance(rules, dict)
        for name, value in rules.items()
        if name.partition("_")[0] in {"deny", "violation", "warn", "exception"} and value
    }
