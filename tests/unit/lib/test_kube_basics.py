"""The kube library's helpers, and the objects that need little more than a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate


def _named(name: str) -> dict[str, object]:
    return {"annotations": {}, "labels": {"name": name}, "name": name}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("kube.objectValues({ b: 1, a: 2, h:: 3 })", [2, 1]),
        ("kube.objectItems({ b: 1, a: 2, h:: 3 })", [["a", 2], ["b", 1]]),
        ("kube.hyphenate('a_b__c')", "a-b--c"),
        ("kube.parseOctal('755')", 493),
        (
            "kube.mapToNamedList({ b_c: { x: 1 }, a: { name: 'y' } })",
            [{"name": "y"}, {"name": "b-c", "x": 1}],
        ),
        ("kube.filterMapByFields({ a: 1, b: 2 }, ['a', 'z'])", {"a": 1}),
        ("kube.toUpper('aBcé')", "ABCé"),
        ("kube.toLower('ABCÉ')", "abcÉ"),
        (
            "[kube.boolXor(a, b) for a in [true, false] for b in [true, false]]",
            [False, True, True, False],
        ),
        ("kube.minKubeVersion", {"major": 1, "minor": 19, "version": "1.19"}),
        ("(original.minKubeVersion { minor: 20 }).version", "1.20"),
        ("kube._assert", True),
    ],
)
def test_helpers(expression: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(expression) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500m", 0.5),
        ("2K", 2000),
        ("3M", 3 * 10**6),
        ("4G", 4 * 10**9),
        ("5T", 5 * 10**12),
        ("6P", 6 * 10**15),
        ("7E", 7 * 10**18),
        ("1Ki", 1024),
        ("2Mi", 2 * 1024**2),
        ("2Gi", 2147483648),
        ("1Ti", 1024**4),
        ("1Pi", 1024**5),
        ("1Ei", 1024**6),
    ],
)
def test_quantities_are_read(text: str, number: float, anywhere: Evaluate) -> None:
    assert anywhere(f"kube.siToNum('{text}')") == number


@pytest.mark.parametrize(
    "expression",
    [
        "kube.siToNum('1')",
        "kube.siToNum('1k')",
        "kube.siToNum('1.5G')",
        "kube.siToNum(1)",
        "kube.siToNum('Gi')",
        "kube.boolXor(1, true)",
        "kube.parseOctal('8')",
        "kube.objectValues(null)",
        "kube.mapToNamedList({ a: null })",
    ],
)
def test_helpers_refuse(expression: str, anywhere: Evaluate) -> None:
    with pytest.raises(JsonnetError):
        anywhere(expression)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "kube._Object('v1', 'K', 'a') { metadata+: { name: 'z:1' } }",
            {
                "apiVersion": "v1",
                "kind": "K",
                "metadata": {"annotations": {}, "labels": {"name": "z-1"}, "name": "z:1"},
            },
        ),
        (
            "kube.Namespace('a:b')",
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"annotations": {}, "labels": {"name": "a-b"}, "name": "a:b"},
            },
        ),
        (
            "kube.ServiceAccount('s')",
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _named("s")},
        ),
        (
            "kube.List() { items_: { b: 1, a: { x: 2 } } }",
            {"apiVersion": "v1", "items": [{"x": 2}, 1], "kind": "List"},
        ),
        (
            (
                "kube.Endpoints('e') { subsets+: [{ addresses: [endpoints.Ip('1.1.1.1')],"
                " ports: [endpoints.Port(80)] }], local endpoints = self }"
            ),
            {
                "apiVersion": "v1",
                "kind": "Endpoints",
                "metadata": _named("e"),
                "subsets": [{"addresses": [{"ip": "1.1.1.1"}], "ports": [{"port": 80}]}],
            },
        ),
        (
            "kube.SealedSecret('s') { spec+: { encryptedData: { a: 'b' } } }",
            {
                "apiVersion": "bitnami.com/v1alpha1",
                "kind": "SealedSecret",
                "metadata": _named("s"),
                "spec": {"encryptedData": {"a": "b"}},
            },
        ),
        (
            "kube.ThirdPartyResource('t') { versions_: ['v2', 'v1'] }",
            {
                "apiVersion": "extensions/v1beta1",
                "kind": "ThirdPartyResource",
                "metadata": _named("t"),
                "versions": [{"name": "v2"}, {"name": "v1"}],
            },
        ),
        ("(kube.StorageClass('s') { provisioner: 'p' }).apiVersion", "storage.k8s.io/v1beta1"),
    ],
)
def test_plain_objects(expression: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(expression) == expected


def _definition(*, versions: list[object], **names: str) -> dict[str, object]:
    spelled = {"kind": "Foo", "listKind": "FooList", "plural": "foos", "singular": "foo", **names}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{spelled['plural']}.g.io"},
        "spec": {"group": "g.io", "names": spelled, "scope": "Namespaced", "versions": versions},
    }


FIRST_VERSION = {
    "name": "v1",
    "schema": {
        "openAPIV3Schema": {"properties": {"spec": {"type": "object"}}, "type": "object"},
    },
    "served": True,
    "storage": True,
}


@pytest.mark.parametrize(
    ("mixin", "expected"),
    [
        ("", _definition(versions=[FIRST_VERSION])),
        (
            "{ spec+: { versions_+: { v2: {} } } }",
            _definition(versions=[FIRST_VERSION, {"name": "v2"}]),
        ),
        (
            "{ spec+: { names+: { plural: 'fooz' } } }",
            _definition(versions=[FIRST_VERSION], plural="fooz"),
        ),
    ],
)
def test_custom_resource_definition(mixin: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"kube.CustomResourceDefinition('g.io', 'v1', 'Foo') {mixin}") == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("kube.SealedSecret('s')", "encryptedData is empty"),
        ("kube.StorageClass('s')", "set provisioner"),
    ],
)
def test_incomplete_objects_report_what_is_missing(
    expression: str, message: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match=message):
        anywhere(expression)
