"""Rules of API servers that no published schema has."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.checks.base import Version

from .build import a_definition, a_deployment, an_object, found

SCHEMA, CUSTOM = "kubernetes-schema", "custom-resources"


def a_widget(**spec: object) -> dict[str, Any]:
    return an_object("Widget", api_version="example.com/v1", spec=spec)


@pytest.mark.parametrize(
    ("pod", "code", "field"),
    [
        ({"restartPolicy": "Sometimes"}, "wrong-value", "restartPolicy"),
        (
            {"terminationGracePeriodSeconds": 1 << 63},
            "wrong-value",
            "terminationGracePeriodSeconds",
        ),
        ({"containers": [{"name": "main"}]}, "missing-field", "containers[0]"),
        ({"containers": []}, "wrong-value", "containers"),
    ],
)
def test_pods_are_examined_by_rules_of_servers(pod: dict[str, Any], code: str, field: str) -> None:
    assert (code, f"spec.template.spec.{field}") in found(a_deployment(**pod), only=SCHEMA)


def test_values_of_a_later_version_are_accepted() -> None:
    content = a_deployment(restartPolicy="Sometimes")

    assert found(content, only=SCHEMA, version=Version(1, 37)) == []


def test_an_empty_value_is_an_absent_one() -> None:
    assert found(a_deployment(restartPolicy=""), only=SCHEMA) == []


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"labels": {"a b": "c"}}, "metadata.labels"),
        ({"labels": {"a": "not valid"}}, "metadata.labels.a"),
        ({"annotations": {"/a": "c"}}, "metadata.annotations"),
        ({"finalizers": ["keep"]}, "metadata.finalizers"),
    ],
)
def test_labels_and_annotations_are_examined(metadata: dict[str, Any], field: str) -> None:
    content = an_object("ConfigMap", metadata=metadata)

    assert found(content, only=SCHEMA) == [("wrong-label", field)]


def test_secret_references_are_valid_labels() -> None:
    content = an_object("ConfigMap", metadata={"labels": {"a": "?{vaultkv:t/c/a/b}"}})

    assert found(content, only=SCHEMA) == []


def test_a_definition_is_named_after_its_kind() -> None:
    content = a_definition({"properties": {}}, group="example.org")

    assert ("wrong-name", "metadata.name") in found(content, only=SCHEMA)


def test_null_is_absent_in_custom_resources() -> None:
    schema = {
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {"size": {"type": "string"}, "more": {"type": "string"}},
            }
        }
    }
    definition = a_definition(schema)

    assert found(definition, a_widget(size="a", more=None), only=CUSTOM) == []
    assert found(definition, a_widget(size=None), only=CUSTOM) == [("missing-field", "spec")]


def test_metadata_of_custom_resources_is_examined() -> None:
    definition = a_definition({"properties": {"spec": {"type": "object"}}})
    content = an_object(
        "Widget", api_version="example.com/v1", metadata={"lables": {"a": "b"}}, spec={}
    )

    assert found(definition, content, only=CUSTOM) == [("unknown-field", "metadata.lables")]


def test_only_unknown_fields_of_a_status_are_reported() -> None:
    fields = {"status": {"type": "object", "properties": {"phase": {"type": "string"}}}}
    definition = a_definition({"properties": fields})
    definition["spec"]["versions"][0]["subresources"] = {"status": {}}
    content = an_object("Widget", api_version="example.com/v1", status={"phase": 1, "more": 2})

    assert found(definition, content, only=CUSTOM) == [("unknown-field", "status.more")]
