"""Functions of the commodore library that build resources, and those that read the inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate

CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "data": {},
    "metadata": {"annotations": {}, "labels": {"name": "other"}, "name": "other"},
}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["red", "blue", "~red", "blue"], ["blue"]),
        (["red", "blue", "~red", "red"], ["blue", "red"]),
        (["z", "y"], ["y", "z"]),
        (["~a", "a"], ["a"]),
        (["a", "~~a"], []),
        ([], []),
        (["~"], []),
        (["", "~"], []),
        (["~", ""], [""]),
        (["a~", "a"], ["a", "a~"]),
        (["B", "a", "_", "é", "10", "9"], ["10", "9", "B", "_", "a", "é"]),
        ([f"n{i:03}" for i in range(300, 0, -1)], [f"n{i:03}" for i in range(1, 301)]),
    ],
)
def test_render_array(names: list[str], expected: list[str], anywhere: Evaluate) -> None:
    assert anywhere(f"com.renderArray({names})") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            (
                "{ my_res: { spec: { a: 1 }, metadata: { labels: { x: 'y' } } }, n: null, b: {} },"
                " function(n) { kind: 'X', metadata: { name: n, labels: { name: n } },"
                " spec: { b: 1 } }"
            ),
            [
                {"kind": "X", "metadata": {"labels": {"name": "b"}, "name": "b"}, "spec": {"b": 1}},
                {
                    "kind": "X",
                    "metadata": {"labels": {"name": "my-res", "x": "y"}, "name": "my-res"},
                    "spec": {"a": 1, "b": 1},
                },
            ],
        ),
        ("{}, kube.ConfigMap", []),
        ("{ z: {}, a: {}, B: {} }, function(n) { n: n }", [{"n": "B"}, {"n": "a"}, {"n": "z"}]),
        (
            "{ h:: {}, a_b_c: { x: 1 }, 'a-b': { y: 2 } }, function(n) { n: n }",
            [{"n": "a-b", "y": 2}, {"n": "a-b-c", "x": 1}],
        ),
        ("{ a: { l: [2], s: 1 } }, function(n) { l: [1], s: 0 }", [{"l": [1, 2], "s": 1}]),
        ("{ a: { metadata: { name: 'other' } } }, kube.ConfigMap", [CONFIG_MAP]),
        ("resources={ a: {} }, resourceFn=function(n) { n: n }", [{"n": "a"}]),
    ],
)
def test_generate_resources(call: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"com.generateResources({call})") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("'u'", {"images": [], "resources": ["u"]}),
        ("'u', null", {"images": [], "resources": ["u?ref=null"]}),
        (
            (
                "'u', images={ b: { newTag: 't', newName: 'n', more: 1 },"
                " a: { newTag: '1', newName: 'm' } }"
            ),
            {
                "images": [
                    {"name": "a", "newName": "m", "newTag": "1"},
                    {"name": "b", "newName": "n", "newTag": "t"},
                ],
                "resources": ["u"],
            },
        ),
        (
            (
                "'https://x//p', 'v1', { img: { newTag: 't', newName: 'n' } },"
                " { namespace: 'f', resources: ['x'] }"
            ),
            {
                "images": [{"name": "img", "newName": "n", "newTag": "t"}],
                "namespace": "f",
                "resources": ["https://x//p?ref=v1", "x"],
            },
        ),
        (
            "base_url='u', base_version='v', kustomize_input={ images: [1] }",
            {"images": [1], "resources": ["u?ref=v"]},
        ),
    ],
)
def test_kustomization(call: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"com.Kustomization({call})") == {"kustomization": expected}


@pytest.mark.parametrize(
    ("image", "missing"), [("{ newTag: 't' }", "newName"), ("{ newName: 'n' }", "newTag")]
)
def test_kustomization_names_the_field_that_an_image_lacks(
    image: str, missing: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match=f"Kustomization u: image i has no {missing}") as caught:
        anywhere(f"com.Kustomization('u', images={{ i: {image} }})")
    assert "case.jsonnet" in caught.value.where


@pytest.mark.parametrize(
    "expression",
    [
        "com.renderArray(['a', null])",
        "com.renderArray(['a', 1])",
        "com.renderArray([['a']])",
        "com.renderArray('ab')",
        "com.renderArray({})",
        "com.renderArray(null)",
        "com.generateResources(null, kube.ConfigMap)",
        "com.generateResources([], kube.ConfigMap)",
        "com.generateResources({ a: 'x' }, kube.ConfigMap)",
        "com.generateResources({ a: 1 }, kube.ConfigMap)",
        "com.generateResources({ a: [] }, kube.ConfigMap)",
        "com.generateResources({ a: {} }, function(n) null)",
        "com.Kustomization('u', 'v', null)",
        "com.Kustomization('u', 'v', {}, null)",
    ],
)
def test_other_types_are_refused(expression: str, anywhere: Evaluate) -> None:
    with pytest.raises(JsonnetError):
        anywhere(expression)


def test_inventory_while_compiling_is_kapitans(compiling: Evaluate) -> None:
    given = {"example": {"namespace": "syn"}}

    assert compiling("com.inventory().parameters", given=given) == given
    assert compiling("com.inventory('other').parameters.name") == "other"
    assert compiling("com.inventory(target='other', inv_path=null).parameters.name") == "other"


def test_inventory_in_a_filter_is_the_whole_node(filtering: Evaluate) -> None:
    node = filtering("com.inventory()", given={"a": 1})

    assert node == {
        "applications": [],
        "classes": [],
        "environment": "base",
        "exports": {},
        "parameters": {"a": 1},
    }
    with pytest.raises(JsonnetError):
        filtering("com.inventory('other')")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        ({"cluster": "c", "HTTP_PROXY": "x"}, {}),
        (
            {"http_proxy": "a", "https_proxy": "b", "no_proxy": None},
            {
                "HTTP_PROXY": "a",
                "http_proxy": "a",
                "HTTPS_PROXY": "b",
                "https_proxy": "b",
                "NO_PROXY": None,
                "no_proxy": None,
            },
        ),
    ],
)
def test_proxy_vars(settings: dict[str, str], expected: object, anywhere: Evaluate) -> None:
    assert anywhere("com.proxyVars", given={"global": settings}) == expected


def test_proxy_vars_without_global_parameters_are_none(anywhere: Evaluate) -> None:
    assert anywhere("com.proxyVars") == {}


def test_proxy_vars_of_null_name_the_parameter(anywhere: Evaluate) -> None:
    with pytest.raises(JsonnetError, match=r"parameters\.global is null") as caught:
        anywhere("{ env: com.proxyVars }.env.http_proxy", given={"global": None})
    assert "case.jsonnet" in caught.value.where
