"""Settings of Argo CD: read from its ConfigMap and from the object of its operator."""

from __future__ import annotations

import pytest

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.settings import settings_of
from tests.support.tables import each


def _objects(text: str) -> list[KubeObject]:
    documents = yaml.load_all(text, name="")
    return [KubeObject(id_, one, "argocd.yaml") for one in documents if (id_ := identify(one))]


def _config_map(data: str, namespace: str = "argocd") -> str:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: "
    return f"{head}{namespace}}}\ndata:\n{data}\n---\n"


IN_ONE_KEY = """
  resource.customizations: |
    example.com/Thing:
      health.lua: one
      health.lua.useOpenLibs: true
      ignoreDifferences: |
        jsonPointers: [/spec/a]
    ConfigMap:
      health.lua: two
"""
IN_SEVERAL_KEYS = """
  resource.customizations: |
    example.com/Thing:
      health.lua: never
  resource.customizations.health.example.com_Thing: one
  resource.customizations.useOpenLibs.example.com_Thing: "true"
  resource.customizations.ignoreDifferences.example.com_Thing: |
    jsonPointers: [/spec/a]
  resource.customizations.health.ConfigMap: two
  resource.customizations.actions.example.com_Thing: "other types are of no interest"
"""
OPERATED = """
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata: {name: syn, namespace: argocd}
spec:
  resourceHealthChecks:
    - {group: example.com, kind: Thing, check: never}
  resourceIgnoreDifferences:
    resourceIdentifiers:
      - {group: example.com, kind: Thing, customization: {jsonPointers: [/spec/a]}}
  extraConfig:
    resource.customizations.health.example.com_Thing: one
    resource.customizations.useOpenLibs.example.com_Thing: "true"
    resource.customizations.health.ConfigMap: two
"""


@each("text", [_config_map(IN_ONE_KEY), _config_map(IN_SEVERAL_KEYS), OPERATED])
def test_all_forms_are_merged_field_by_field(text: str) -> None:
    (found,) = settings_of(_objects(text))

    scripts = {one.pattern: (one.source, one.open_libraries) for one in found.scripts}
    assert scripts == {"example.com/Thing": ("one", True), "ConfigMap": ("two", False)}
    assert [(one.pattern, one.pointers) for one in found.ignored] == [
        ("example.com/Thing", ("/spec/a",))
    ]
    assert found.namespace == "argocd"


def test_differences_that_are_ignored_in_all_kinds() -> None:
    key = "resource.customizations.ignoreDifferences.all"
    (found,) = settings_of(_objects(_config_map(f"  {key}: 'jqPathExpressions: [.a]'")))
    operated = OPERATED.replace("resourceIdentifiers:", "all: {jsonPointers: [/a]}\n    x:")

    assert [(one.pattern, one.jq) for one in found.ignored] == [("*/*", (".a",))]
    assert settings_of(_objects(operated))[0].ignored[0].pattern == "*/*"


def test_each_instance_has_settings_of_its_own() -> None:
    texts = [_config_map(f"  resource.customizations.health.A: {name}", name) for name in "ab"]

    found = settings_of(_objects("".join(texts)))

    assert [(one.namespace, one.scripts[0].source) for one in found] == [("a", "a"), ("b", "b")]


@each(
    ("data", "message", "where"),
    [
        ("  resource.customizations: '{'", "", "resource.customizations"),
        ("  resource.customizations: '[]'", "a list, not a mapping", "resource.customizations"),
        ("  resource.customizations: 'a/b/c: {}'", "'a/b/c' is not a key", "resource.custom"),
        (
            "  resource.customizations: 'A: {health.lua.useOpenLibs: maybe}'",
            "'maybe' is not true or false",
            "A, health.lua.useOpenLibs",
        ),
        (
            "  resource.customizations.useOpenLibs.A: maybe",
            "'maybe' is not true or false",
            "resource.customizations.useOpenLibs.A",
        ),
        ("  resource.customizations: 'A: {health.lua: 5}'", "a number, not a string", "health.lua"),
        (
            "  resource.customizations.ignoreDifferences.A: 'jsonPointers: 5'",
            "a number, not a list",
            "jsonPointers",
        ),
    ],
)
def test_setting_that_is_not_valid(data: str, message: str, where: str) -> None:
    with pytest.raises(CommodoreError) as raised:
        settings_of(_objects(_config_map(data)))

    assert message in str(raised.value)
    assert where in raised.value.where
    assert "argocd.yaml" in raised.value.where
