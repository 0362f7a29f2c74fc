"""`commodore live health`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, generation: 2}
spec: {replicas: 2}
status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 1}
"""
THING = """
apiVersion: example.com/v1
kind: Thing
metadata: {name: one, creationTimestamp: 2026-01-01T00:00:00Z}
status: {phase: Done}
"""
RULE = (
    "return {status='Healthy', message=obj.status.phase .. ' ' .. obj.metadata.creationTimestamp}"
)
DONE = "Done 2026-01-01T00:00:00Z"


def _rule(name: str = "example.com/Thing", text: str = RULE) -> Path:
    folder = Path("rules", name)
    (folder / "testdata").mkdir(parents=True)
    (folder / "health.lua").write_text(text)
    return folder


def test_documents_lists_and_what_is_not_an_object(commodore: CommandLine) -> None:
    items = "".join(f"- {{apiVersion: v1, kind: Service, metadata: {{name: {n}}}}}\n" for n in "ab")
    text = f"{DEPLOYMENT}---\nsome: values\n---\n---\nkind: List\napiVersion: v1\nitems:\n{items}"

    ran = commodore("live", "health", "-", stdin=text)

    assert ran.code == 0
    assert ran.out.splitlines() == [
        "Progressing  Deployment shop/web  1 of 2 updated replicas are available  (built-in)",
        "Healthy      Service a  (built-in)",
        "Healthy      Service b  (built-in)",
    ]
    assert "not objects: 1 document" in ran.err


def test_json_has_the_rule_and_whether_syncs_wait(commodore: CommandLine) -> None:
    Path("objects.yaml").write_text(f"{DEPLOYMENT}---\n{THING}")

    ran = commodore("live", "health", "objects.yaml", "-o", "json")

    found = json.loads(ran.out)
    assert found["worst"] == "Progressing"
    assert [(one["status"], one["source"], one["waits"]) for one in found["objects"]] == [
        ("Progressing", "built-in", True),
        (None, "none", False),
    ]


def test_rules_of_a_folder(commodore: CommandLine) -> None:
    _rule()

    ran = commodore("live", "health", "-", "--rules", "rules", stdin=THING)

    assert ran.out == f"Healthy      Thing one  {DONE}  (rule example.com/Thing)\n"


def test_kind_with_a_rule_in_argo_cd(commodore: CommandLine) -> None:
    text = THING.replace("example.com/v1", "cert-manager.io/v1").replace("Thing", "Certificate")

    ran = commodore("live", "health", "-", "-o", "json", stdin=text)

    (found,) = json.loads(ran.out)["objects"]
    assert (found["status"], found["source"], found["waits"]) == (None, "none", True)
    assert found["message"] == "Argo CD has a rule for it: name a folder of its rules"


def test_cases_of_rules(commodore: CommandLine) -> None:
    folder = _rule()
    (folder / "testdata" / "one.yaml").write_text(f"{THING}---\n{DEPLOYMENT}")
    (folder / "health_test.yaml").write_text(
        "tests:\n"
        "- inputpath: testdata/one.yaml\n"
        f"  healthStatus: {{status: Healthy, message: '{DONE}'}}\n"
        "- {inputPath: testdata/one.yaml, HealthStatus: {status: Degraded}}\n"
    )

    ran = commodore("live", "health", "--test", "rules")

    assert ran.code == 1
    assert ran.out.splitlines() == [
        "example.com/Thing: testdata/one.yaml",
        "  expected  Degraded",
        f"  found     Healthy  {DONE}",
    ]
    assert "2 cases, 1 failed" in ran.err


def test_a_case_has_the_rule_of_its_object(commodore: CommandLine) -> None:
    _rule("pkg.crossplane.io/Provider", "return {status='Degraded'}")
    wildcard = _rule("_.crossplane.io/_", "return {status='Healthy'}")
    (wildcard / "testdata" / "one.yaml").write_text(
        "{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: a}}"
    )
    (wildcard / "health_test.yaml").write_text(
        "tests: [{inputPath: testdata/one.yaml, healthStatus: {status: Degraded}}]"
    )

    ran = commodore("live", "health", "--test", "rules", "-o", "json")

    assert ran.code == 0
    assert json.loads(ran.out)["passed"] == 1


def test_input_outside_of_the_folder_is_not_read(commodore: CommandLine) -> None:
    folder = _rule()
    Path("secret.yaml").write_text(THING)
    (folder / "health_test.yaml").write_text("tests: [{inputPath: ../../../secret.yaml}]")

    ran = commodore("live", "health", "--test", "rules")

    assert ran.code == 1
    assert "its input lies outside of the folder of rules" in ran.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Name a file; - is stdin"),
        (("--test", ".", "a.yaml"), "--test takes no files"),
    ],
)
def test_usage(commodore: CommandLine, words: tuple[str, ...], why: str) -> None:
    ran = commodore("live", "health", *words)

    assert ran.code == 2
    assert why in ran.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "YAML"),
        ("!!binary aGk=", "a manifest cannot be JSON"),
        ("&a [*a]", ""),
        ("[" * 200, ""),
    ],
)
def test_file_that_is_not_valid(commodore: CommandLine, text: str, why: str) -> None:
    ran = commodore("live", "health", "-", stdin=text)

    assert ran.code == 1
    assert why in ran.err


def test_missing_file(commodore: CommandLine) -> None:
    ran = commodore("live", "health", "missing.yaml")

    assert ran.code == 1
    assert "this file does not exist" in ran.err


def test_control_characters_are_escaped(commodore: CommandLine) -> None:
    text = DEPLOYMENT.replace("web", '"we\\eb"')

    assert "\x1b" not in commodore("live", "health", "-", stdin=text).out
