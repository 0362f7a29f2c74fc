"""What the libraries offer, and that importing them requires nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError
from commodore_py.lib import GIT_HOOKS, KUSTOMIZE_WRAPPER, LIBRARIES

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "libraries.md"

FIELDS = [
    "Kustomization",
    "addNamespaceToHelmOutput",
    "envList",
    "filterNull",
    "fixupDir",
    "generateResources",
    "getValueOrDefault",
    "inventory",
    "list_dir",
    "makeMergeable",
    "namespaced",
    "patchNamespace",
    "proxyVars",
    "renderArray",
    "yaml_load",
    "yaml_load_all",
]

CONSTRUCTORS = [
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "ConfigMapRef",
    "ConfigMapVolume",
    "Container",
    "CronJob",
    "CrossVersionObjectReference",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "EmptyDirVolume",
    "Endpoints",
    "FieldRef",
    "GitRepoVolume",
    "Group",
    "HorizontalPodAutoscaler",
    "HostPathVolume",
    "Ingress",
    "Job",
    "JobSpec",
    "List",
    "Namespace",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PersistentVolumeClaimVolume",
    "Pod",
    "PodDisruptionBudget",
    "PodSpec",
    "ResourceFieldRef",
    "Role",
    "RoleBinding",
    "SealedSecret",
    "Secret",
    "SecretKeyRef",
    "SecretVolume",
    "Service",
    "ServiceAccount",
    "StatefulSet",
    "StorageClass",
    "ThirdPartyResource",
    "User",
    "VerticalPodAutoscaler",
    "createVPAFor",
]

HELPERS = [
    "_Object",
    "_assert",
    "boolXor",
    "filterMapByFields",
    "hyphenate",
    "mapToNamedList",
    "minKubeVersion",
    "objectItems",
    "objectValues",
    "parseOctal",
    "podLabelsSelector",
    "podRef",
    "podsPorts",
    "siToNum",
    "toLower",
    "toUpper",
]


@pytest.mark.parametrize(
    "name",
    [
        "lib/commodore.libjsonnet",
        "lib/kube.libjsonnet",
        "lib/kube.libsonnet",
        "lib/kube-libsonnet/kube.libsonnet",
    ],
)
def test_every_library_is_found_by_the_name_components_import(name: str, bare: Evaluate) -> None:
    assert (LIBRARIES / name).is_file()
    assert bare(f"std.isObject(import '{name}')") is True


@pytest.mark.parametrize("script", [KUSTOMIZE_WRAPPER, GIT_HOOKS / "post-checkout"])
def test_scripts_are_executable(script: Path) -> None:
    assert os.access(script, os.X_OK)


def test_commodore_library_has_exactly_its_sixteen_fields(anywhere: Evaluate) -> None:
    assert anywhere("std.objectFields(com)") == FIELDS
    assert anywhere("std.objectFieldsAll(com)") == FIELDS


def test_kube_library_shows_constructors_and_helpers(anywhere: Evaluate) -> None:
    assert anywhere("std.objectFields(kube)") == sorted(CONSTRUCTORS + HELPERS)


def test_kube_library_keeps_its_old_switch_hidden(anywhere: Evaluate) -> None:
    assert anywhere("kube._commodore_show_kube_libsonnet_deprecation") is False
    assert anywhere("'_commodore_show_kube_libsonnet_deprecation' in kube") is True


def test_original_kube_library_hides_its_helpers(anywhere: Evaluate) -> None:
    hidden = anywhere("std.setDiff(std.objectFieldsAll(original), std.objectFields(original))")

    assert hidden == sorted(
        {"VerticalPodAutoscaler", "createVPAFor", *HELPERS}
        - {"filterMapByFields", "minKubeVersion"}
    )


def test_overrides_of_the_kube_library_reach_no_constructor(anywhere: Evaluate) -> None:
    impossible = "{ _assert: false }.Container('c') { image: 'i', tty: true }.tty"

    with pytest.raises(JsonnetError, match="tty needs stdin"):
        anywhere(f"kube {impossible}")
    assert anywhere(f"(original {impossible})") is True


def test_constructors_see_what_the_original_is_extended_with(anywhere: Evaluate) -> None:
    shouting = "(original { hyphenate(s):: std.asciiUpper(s) })"

    assert anywhere(f"{shouting}.mapToNamedList({{ a: {{}} }})") == [{"name": "A"}]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("com.namespaced('x', {})", {"metadata": {"namespace": "x"}}),
        ("com.filterNull([1, null])", [1]),
        ("com.envList({ a: 1 })", [{"name": "a", "value": "1"}]),
        ("com.getValueOrDefault({}, 'a', 1)", 1),
        ("com.makeMergeable({ a: [1] })", {"a": [1]}),
        ("com.renderArray(['a'])", ["a"]),
        ("com.generateResources({ a: {} }, function(n) { n: n })", [{"n": "a"}]),
        ("com.Kustomization('u')", {"kustomization": {"images": [], "resources": ["u"]}}),
    ],
)
def test_pure_functions_need_neither_native_nor_kapitan(
    expression: str, expected: object, bare: Evaluate
) -> None:
    assert bare(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "com.list_dir('.')",
        "com.yaml_load('x.yaml')",
        "com.yaml_load_all('x.yaml')",
        "com.patchNamespace('x.yaml', 'n')",
        "com.addNamespaceToHelmOutput('.', 'n')",
        "com.fixupDir('.', function(o) o)",
    ],
)
def test_a_missing_native_fails_only_its_user(expression: str, bare: Evaluate) -> None:
    with pytest.raises(JsonnetError, match="Unexpected type null, expected function"):
        bare(expression)


@pytest.mark.parametrize("name", [*FIELDS, *CONSTRUCTORS, *HELPERS])
def test_the_reference_lists_every_name(name: str) -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]

    assert any(f"`{name}`" in row or f"`{name}(" in row for row in rows)
