"""Objects compared with the schemas of Kubernetes, and with definitions in the catalog."""

from __future__ import annotations

import socket
from datetime import date
from typing import Any

import pytest

from commodore_py.checks.base import Version
from commodore_py.checks.run import version_of
from commodore_py.checks.schemas.kubernetes import schemas_of
from commodore_py.checks.schemas.removed_apis import REMOVED

from .build import a_definition, a_deployment, an_object, checked, found, problems

KUBERNETES, CUSTOM = "kubernetes-schema", "custom-resources"


def changed(content: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    *above, last = path.split(".")
    here: Any = content
    for key in above:
        here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
    here[last] = value
    return content


@pytest.mark.parametrize(
    "valid",
    [
        a_deployment(),
        changed(a_deployment(), "spec.replicas", None),
        changed(a_deployment(), "metadata.creationTimestamp", None),
        changed(a_deployment(), "metadata.creationTimestamp", "2024-01-01T00:00:00Z"),
        changed(a_deployment(), "metadata.annotations", {"on": date(2024, 1, 1), "x": "1"}),
        an_object("ConfigMap", data={"a": "b"}),
        an_object("Secret", stringData={"a": "?{vaultkv:t/c/x/y}"}, data={"b": "?{plain:x}"}),
        an_object("Secret", data={"a": "aGVsbG8="}),
        an_object("Service", "a", spec={"ports": [{"port": 80, "targetPort": "http"}]}),
        an_object("Service", "a", spec={"ports": [{"port": 80, "targetPort": 8080}]}),
        an_object("ClusterRole", "system:a/b"[:8], "rbac.authorization.k8s.io/v1", rules=None),
        an_object(
            "ResourceQuota",
            spec={
                "hard": {"cpu": 1, "memory": "1.5Gi", "pods": "10", "a.b/x": 0.5, "a.b/y": "1e3"}
            },
        ),
    ],
    ids=lambda one: one["kind"],
)
def test_valid_objects(valid: dict[str, Any]) -> None:
    assert found(valid, only=KUBERNETES) == []


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("spec.replicas", "3", [("wrong-type", "spec.replicas")]),
        ("spec.replicas", 1.5, [("wrong-type", "spec.replicas")]),
        ("spec.replica", 3, [("unknown-field", "spec.replica")]),
        ("spec.paused", "yes", [("wrong-type", "spec.paused")]),
        (
            "spec.template.spec.hostnetwork",
            True,
            [("unknown-field", "spec.template.spec.hostnetwork")],
        ),
        ("metadata.labels", {"a": 1}, [("wrong-type", "metadata.labels.a")]),
        (
            "spec.template.spec.containers.0.resources",
            {"limits": {"cpu": True}},
            [("wrong-type", "spec.template.spec.containers[0].resources.limits.cpu")],
        ),
        (
            "spec.template.spec.containers.0.env",
            [{"name": "A", "value": 1}],
            [("wrong-type", "spec.template.spec.containers[0].env[0].value")],
        ),
        ("spec.template.spec.containers", None, [("missing-field", "spec.template.spec")]),
        ("spec", {}, [("missing-field", "spec")] * 2),
    ],
)
def test_invalid_objects(path: str, value: object, expected: list[tuple[str, str]]) -> None:
    assert found(changed(a_deployment(), path, value), only=KUBERNETES) == expected


def test_an_unknown_field_has_a_suggestion() -> None:
    (problem,) = problems(changed(a_deployment(), "spec.replica", 3), only=KUBERNETES)

    assert problem.remedy == "did you mean replicas?"
    assert problem.options == ("replicas",)
    assert problem.severity == "error"


def test_no_value_of_a_secret_is_shown() -> None:
    secret = an_object("Secret", data={"a": ["hunter2"]}, stringData={"b": 123456789})

    texts = " ".join(map(str, problems(secret)))

    assert "kubernetes-schema/wrong-type" in texts
    assert "hunter2" not in texts
    assert "123456789" not in texts


def test_the_group_decides_about_the_schema() -> None:
    foreign = an_object("Role", api_version="authorization.openshift.io/v1", rules="any")

    assert found(foreign, only=KUBERNETES) == [("unknown-kind", "apiVersion")]


@pytest.mark.parametrize(
    ("version", "outcome", "codes"),
    [
        (Version(1, 24), "unchecked", ["checks/unchecked"]),
        (Version(1, 40), "passed", ["kubernetes-schema/version"]),
        (None, "passed", ["kubernetes-schema/version"]),
        (Version(1, 30), "passed", []),
    ],
)
def test_versions_without_schemas(version: Version | None, outcome: str, codes: list[str]) -> None:
    result = checked(a_deployment(), only=KUBERNETES, version=version)

    assert [one.outcome for one in result.runs] == [outcome]
    assert [one.code for one in result.problems] == codes


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v1.27.3", (1, 27)),
        ("1.30", (1, 30)),
        ({"major": "1", "minor": "27+"}, (1, 27)),
        ("", None),
        (None, None),
        ("new", None),
    ],
)
def test_versions_as_clusters_report_them(text: object, version: tuple[int, int] | None) -> None:
    assert version_of(text) == (Version(*version) if version else None)


SCHEMA = {
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
                "mode": {"type": "string", "enum": ["a", "b"], "nullable": True},
                "port": {"x-kubernetes-int-or-string": True},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "map": {"type": "object", "additionalProperties": {"type": "string"}},
                "pod": {"type": "object", "x-kubernetes-embedded-resource": True},
                "one": {
                    "type": "object",
                    "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
                    "oneOf": [{"required": ["x"]}, {"required": ["y"]}],
                },
                "since": {"type": "string", "format": "date-time"},
            },
        },
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}


def a_widget(**spec: object) -> dict[str, Any]:
    return an_object("Widget", api_version="example.com/v1", spec={"size": 2, **spec})


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"mode": None},
        {"port": 80},
        {"port": "http"},
        {"free": {"any": [1]}},
        {"map": {"a": "b"}},
        {"pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}},
        {"one": {"x": "1"}},
        {"since": "2024-01-01T00:00:00Z"},
    ],
)
def test_valid_custom_resources(spec: dict[str, object]) -> None:
    assert found(a_definition(SCHEMA), a_widget(**spec), only=CUSTOM) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"size": "2"}, ("wrong-type", "spec.size")),
        ({"size": 1}, ("wrong-value", "spec.size")),
        ({"siez": 1}, ("unknown-field", "spec.siez")),
        ({"mode": "c"}, ("wrong-value", "spec.mode")),
        ({"port": 1.5}, ("wrong-type", "spec.port")),
        ({"map": {"a": 1}}, ("wrong-type", "spec.map.a")),
        ({"one": {"x": "1", "y": "2"}}, ("wrong-value", "spec.one")),
        ({"one": {"z": "1", "x": ""}}, ("unknown-field", "spec.one.z")),
    ],
)
def test_invalid_custom_resources(spec: dict[str, object], expected: tuple[str, str]) -> None:
    assert found(a_definition(SCHEMA), a_widget(**spec), only=CUSTOM) == [expected]


def test_a_version_that_is_not_served() -> None:
    old = {**a_widget(), "apiVersion": "example.com/v1alpha1"}

    (problem,) = problems(a_definition(SCHEMA), old, only=CUSTOM)

    assert (problem.code, problem.options) == ("custom-resources/not-served", ("v1",))


def test_a_definition_without_a_schema() -> None:
    versions = [{"name": "v1", "served": True}]

    assert found(a_definition({}, versions=versions), a_widget(), only=CUSTOM) == [
        ("bad-definition", "spec.versions")
    ]


def test_a_definition_fetches_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/schema.json"
        spec = {"type": "object", "$ref": url, "id": url, "allOf": [{"$ref": url}]}
        schema = {"$schema": url, "properties": {"spec": spec}}

        codes = found(a_definition(schema), a_widget(), only=CUSTOM)

        with pytest.raises(TimeoutError):
            listener.accept()
    assert codes == [("unknown-field", "spec.size")]


@pytest.mark.parametrize(
    "schema",
    [{"properties": {"spec": {"type": "string", "pattern": "(?<"}}}, {"type": "no such type"}],
)
def test_a_schema_that_cannot_be_used_is_reported(schema: dict[str, Any]) -> None:
    assert found(a_definition(schema), a_widget(), only=CUSTOM) == [
        ("bad-definition", "spec.versions")
    ]


def test_properties_that_are_no_mapping_are_ignored() -> None:
    schema = {"properties": {"spec": {"type": "object", "properties": [1]}}}

    assert found(a_definition(schema), a_widget(), only=CUSTOM) == [("unknown-field", "spec.size")]


def test_a_namespace_of_a_kind_without() -> None:
    widget = a_widget()
    widget["metadata"]["namespace"] = "a"

    definition = a_definition(SCHEMA, scope="Cluster")

    assert found(definition, widget, only=CUSTOM) == [("wrong-scope", "metadata.namespace")]


@pytest.mark.parametrize(
    ("api_version", "kind", "minor", "expected"),
    [
        ("policy/v1beta1", "PodDisruptionBudget", 24, "soon"),
        ("policy/v1beta1", "PodDisruptionBudget", 25, "removed"),
        ("policy/v1beta1", "PodDisruptionBudget", 21, ""),
        ("policy/v1", "PodDisruptionBudget", 37, ""),
        ("extensions/v1beta1", "Ingress", 34, "removed"),
        ("networking.k8s.io/v1beta1", "IPAddress", 34, "soon"),
    ],
)
def test_removed_apis(api_version: str, kind: str, minor: int, expected: str) -> None:
    one = an_object(kind, api_version=api_version)

    codes = [code for code, _ in found(one, only="removed-apis", version=Version(1, minor))]

    assert codes == ([expected] if expected else [])


@pytest.mark.slow
def test_the_table_of_removed_apis_agrees_with_the_schemas() -> None:
    for api_version, kinds in REMOVED.items():
        for kind, (minor, instead) in kinds.items():
            if minor > 25:
                assert schemas_of(Version(1, minor - 1)).knows(api_version, kind)
                assert not schemas_of(Version(1, minor)).knows(api_version, kind)
            if instead:
                assert schemas_of(Version(1, 37)).knows(instead, kind), (instead, kind)
