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
    nested = an_object("Widget", api_version="example.com/v1", status={"phase": {"a": 1}})

    assert found(definition, content, only=CUSTOM) == [("unknown-field", "status.more")]
    assert found(definition, nested, only=CUSTOM) == [("unknown-field", "status.phase.a")]


def test_null_in_a_list_is_an_empty_object() -> None:
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    binding = an_object(
        "RoleBinding", api_version="rbac.authorization.k8s.io/v1", roleRef=role, subjects=[None]
    )

    assert found(binding, only=SCHEMA) == [("wrong-type", "subjects[0]")]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (
            an_object("Lease", api_version="coordination.k8s.io/v1", spec={"renewTime": "x"}),
            "spec.renewTime",
        ),
        (
            an_object(
                "Lease",
                api_version="coordination.k8s.io/v1",
                spec={"renewTime": "2026-01-01T00:00:00Z"},
            ),
            "spec.renewTime",
        ),
        (
            an_object("Service", spec={"clusterIP": "None", "internalTrafficPolicy": ""}),
            "spec.internalTrafficPolicy",
        ),
    ],
)
def test_values_that_cannot_be_decoded(content: dict[str, Any], field: str) -> None:
    assert found(content, only=SCHEMA) == [("wrong-value", field)]


@pytest.mark.parametrize(
    ("kind", "api_version", "name", "minor", "valid"),
    [
        ("Role", "rbac.authorization.k8s.io/v1", "", 36, False),
        ("Role", "rbac.authorization.k8s.io/v1", "system:A", 36, True),
        ("Service", "v1", "9", 35, False),
        ("Service", "v1", "9", 36, True),
    ],
)
def test_names_by_kind_and_version(
    kind: str, api_version: str, name: str, minor: int, *, valid: bool
) -> None:
    more = {"spec": {"clusterIP": "None"}} if kind == "Service" else {}
    content = an_object(kind, name, api_version, **more)

    issues = found(content, only=SCHEMA, version=Version(1, minor))

    assert issues == ([] if valid else [("wrong-name", "metadata.name")])


@pytest.mark.parametrize(
    ("value", "valid"),
    [("1h30m", True), ("2 days", True), ("5 Minutes", True), ("1Gb", False), ("soon", False)],
)
def test_durations_of_custom_resources(value: str, *, valid: bool) -> None:
    spec = {"type": "object", "properties": {"after": {"type": "string", "format": "duration"}}}
    definition = a_definition({"properties": {"spec": spec}})

    issues = found(definition, a_widget(after=value), only=CUSTOM)

    assert issues == ([] if valid else [("wrong-value", "spec.after")])


def test_names_of_embedded_objects_are_examined() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True}
    embedded["x-kubernetes-preserve-unknown-fields"] = True
    spec = {"type": "object", "properties": {"template": embedded}}
    definition = a_definition({"properties": {"spec": spec}})
    template = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "50%"}}

    assert found(definition, a_widget(template=template), only=CUSTOM) == [
        ("wrong-value", "spec.template.metadata.name")
    ]


@pytest.mark.parametrize("minor", [25, 30, 36])
def test_fields_that_later_schemas_do_not_require_never_were_required(minor: int) -> None:
    role = {"kind": "Role", "name": "reader"}
    policy = an_object("NetworkPolicy", api_version="networking.k8s.io/v1", spec={})
    priority = an_object("PriorityClass", api_version="scheduling.k8s.io/v1")
    binding = an_object("RoleBinding", api_version="rbac.authorization.k8s.io/v1", roleRef=role)
    slices = an_object("EndpointSlice", api_version="discovery.k8s.io/v1", addressType="IPv4")

    issues = found(policy, priority, binding, slices, only=SCHEMA, version=Version(1, minor))

    assert [one for one in issues if one[0] != "version"] == []


@pytest.mark.parametrize(
    ("ports", "valid"),
    [
        ([{"port": 53, "protocol": "UDP"}, {"port": 53}], True),
        ([{"port": 53, "protocol": "TCP"}, {"port": 53}], False),
        ([{"port": 53}, {"port": 54}], True),
    ],
)
def test_items_of_a_list_differ_by_their_keys_and_defaults(
    ports: list[dict[str, Any]], *, valid: bool
) -> None:
    item = {
        "type": "object",
        "properties": {
            "port": {"type": "integer"},
            "protocol": {"type": "string", "default": "TCP"},
        },
    }
    field: dict[str, Any] = {"type": "array", "items": item, "x-kubernetes-list-type": "map"}
    field["x-kubernetes-list-map-keys"] = ["port", "protocol"]
    definition = a_definition(
        {"properties": {"spec": {"type": "object", "properties": {"ports": field}}}}
    )

    issues = found(definition, a_widget(ports=ports), only=CUSTOM)

    assert issues == ([] if valid else [("wrong-value", "spec.ports")])


def test_annotations_have_256_kib_at_most() -> None:
    content = an_object("ConfigMap", metadata={"annotations": {"a": "b" * (256 << 10)}})

    assert found(content, only=SCHEMA) == [("wrong-label", "metadata.annotations")]


@pytest.mark.parametrize(
    "data", [{"data": {"a": "b" * (1 << 20 | 1)}}, {"binaryData": {"a": "YWFh" * 350_000}}]
)
def test_configuration_has_1_mib_at_most(data: dict[str, Any]) -> None:
    assert found(an_object("ConfigMap", **data), only=SCHEMA) == [("wrong-value", "data")]
