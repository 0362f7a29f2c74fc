"""What parts of an object demand of each other; a server agrees with each case (differential)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from commodore_py.checks.base import Version
from commodore_py.checks.kubernetes.consistency import RULES
from tests.differential.checks.broken import samples
from tests.differential.checks.changed import Case, cases, documents, our_verdicts

from .build import a_definition, a_deployment, an_object, found

SCHEMA = "kubernetes-schema"
CASES = cases()
VERSION = Version(1, 36)


@pytest.fixture(scope="module")
def verdicts() -> dict[str, str]:
    contents = [one.content for one in CASES]
    return {
        case.name: " | ".join(f"{one.code.partition('/')[2]} {one.field}" for one in errors)
        for case, errors in zip(CASES, our_verdicts(contents, VERSION), strict=True)
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_changed_objects(case: Case, verdicts: dict[str, str]) -> None:
    assert verdicts[case.name] == case.found


def test_good_objects_have_no_problems() -> None:
    good = documents("kinds.yaml")

    assert our_verdicts(good, VERSION) == [[] for _ in good]


def test_every_rule_has_a_case() -> None:
    with_cases = {case.content["kind"] for case in CASES if case.found}

    assert {name.partition(".")[0] for name in RULES} <= with_cases


def test_rules_read_objects_of_any_form() -> None:
    chance = Random(22)  # noqa: S311 - not a secret
    tried = [one.content for good in documents("kinds.yaml") for one in samples(good, chance, 9)]

    assert len(our_verdicts(tried, VERSION)) == len(tried)


def test_keys_that_are_not_texts_are_read_as_texts() -> None:
    quota = an_object("ResourceQuota", spec={"hard": {8: 1, True: 2}})
    definition = a_definition({"properties": {"spec": {"type": "object"}}})
    widget = an_object("Widget", api_version="example.com/v1", spec={8: 1})

    assert found(quota, only=SCHEMA) == [("wrong-value", "spec.hard")] * 2
    assert found(definition, widget, only="custom-resources") == [("unknown-field", "spec.8")]


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": {"a": "?{vaultkv:t/c/a/zone}"}},
        {"hostAliases": [{"ip": "?{vaultkv:t/c/a/ip}", "hostnames": ["a.example.com"]}]},
        {"containers": [{"name": "a", "image": "b", "resources": {"limits": {"cpu": "?{a:b}"}}}]},
    ],
)
def test_secret_references_are_valid_values(pod: dict[str, Any]) -> None:
    assert found(a_deployment(**pod), only=SCHEMA) == []
