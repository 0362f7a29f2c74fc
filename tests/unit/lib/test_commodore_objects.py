"""Functions of the commodore library that work on single values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from tests.unit.lib.conftest import Evaluate


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("'x', {}", {"metadata": {"namespace": "x"}}),
        (
            "'x', { metadata: { name: 'a', namespace: 'b' } }",
            {"metadata": {"name": "a", "namespace": "x"}},
        ),
        ("null, { a: 1 }", {"a": 1, "metadata": {"namespace": None}}),
        (
            "'x', { kind: 'List', items: [{ a: 1 }] }",
            {"kind": "List", "items": [{"a": 1}], "metadata": {"namespace": "x"}},
        ),
        ("'x', { metadata:: { name: 'a' } }", {}),
        ("obj={}, ns='x'", {"metadata": {"namespace": "x"}}),
    ],
)
def test_namespaced(call: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"com.namespaced({call})") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("[1, null]", [1]),
        ("[[null], {}, '', false, 0]", [[None], {}, "", False, 0]),
        ("[]", []),
    ],
)
def test_filter_null(
    call: str, expected: object, anywhere: Evaluate, capfd: pytest.CaptureFixture[str]
) -> None:
    assert anywhere(f"com.filterNull({call})") == expected
    assert "deprecated" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            "{ B: 1, A: 'x', C: true, D: [1], E: null, F: { fieldRef: {} }, G: 1.5 }",
            [
                {"name": "A", "value": "x"},
                {"name": "B", "value": "1"},
                {"name": "C", "value": "true"},
                {"name": "D", "value": "[1]"},
                {"name": "E", "value": None},
                {"name": "F", "valueFrom": {"fieldRef": {}}},
                {"name": "G", "value": "1.5"},
            ],
        ),
        ("{}", []),
        (
            "{ x: 1e20, y: 0.1, b: false }",
            [
                {"name": "b", "value": "false"},
                {"name": "x", "value": "100000000000000000000"},
                {"name": "y", "value": "0.10000000000000001"},
            ],
        ),
        (
            "{ z: [1, 'a', null, { b: 1 }] }",
            [{"name": "z", "value": '[1, "a", null, {"b": 1}]'}],
        ),
        ("{ F: {} }", [{"name": "F", "valueFrom": {}}]),
        ("{ shown: 1, hidden:: 2 }", [{"name": "shown", "value": "1"}]),
    ],
)
def test_env_list(call: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"com.envList({call})") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("{ b: 1 }, 'b', error 'unused'", 1),
        ("{ b: null }, 'b', 1", None),
        ("{ b:: 5 }, 'b', 1", 1),
        ("{}, 'b', 1", 1),
        ("dict={ a: 1 }, field='z', default=3", 3),
    ],
)
def test_get_value_or_default(call: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(f"com.getValueOrDefault({call})") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            (
                "{ a: { x: [1], y: { z: 1 } }, b: [1], c: 1 } + com.makeMergeable({"
                " a: { x: [2], y: { w: 2 } }, b: [2], c: null, d: { e: 1 }, f: [1] })"
            ),
            {
                "a": {"x": [1, 2], "y": {"w": 2, "z": 1}},
                "b": [1, 2],
                "c": None,
                "d": {"e": 1},
                "f": [1],
            },
        ),
        ("{ a: [1] } + com.makeMergeable({ a: 'x' })", {"a": "x"}),
        ("{ a: 'x' } + com.makeMergeable({ a: ['b'] })", {"a": 'x["b"]'}),
        ("{ a: 'x' } + com.makeMergeable({ a: { b: 1 } })", {"a": 'x{"b": 1}'}),
        ("{ a: [{ x: 1 }] } + com.makeMergeable({ a: [{ x: 2 }] })", {"a": [{"x": 1}, {"x": 2}]}),
        ("{ a:: [1] } + com.makeMergeable({ a: [2] })", {}),
        (
            "com.makeMergeable({ a: null, b: [], c: {}, d: { e: [1] } })",
            {"a": None, "b": [], "c": {}, "d": {"e": [1]}},
        ),
        ("com.makeMergeable({ b: [2] }) + com.makeMergeable({ b: [1] })", {"b": [2, 1]}),
        ("com.makeMergeable({ a: { b: 1 } }) + { a: { c: 1 } }", {"a": {"c": 1}}),
        ("(com.makeMergeable({ a: self.b, b: { c: 1 } }) + { b: { c: 2 } }).a", {"c": 1}),
        ("com.makeMergeable({ a: { shown: 1, hidden:: 1 }, gone:: [1] })", {"a": {"shown": 1}}),
    ],
)
def test_make_mergeable(expression: str, expected: object, anywhere: Evaluate) -> None:
    assert anywhere(expression) == expected


@pytest.mark.parametrize(
    ("base", "over"),
    [
        ("1", "{ b: 1 }"),
        ("null", "{ b: 1 }"),
        ("{ b: 1 }", "[1]"),
        ("[1]", "{ b: 1 }"),
        ("1", "[1]"),
    ],
)
def test_make_mergeable_over_another_type_names_file_and_types(
    base: str, over: str, anywhere: Evaluate
) -> None:
    with pytest.raises(JsonnetError, match="Unexpected type") as caught:
        anywhere(f"{{ r: {{ a: {base} }} + com.makeMergeable({{ a: {over} }}) }}.r.a")
    assert "case.jsonnet" in caught.value.where


@pytest.mark.parametrize(
    "expression",
    [
        "com.namespaced('x', { metadata: null })",
        "com.namespaced('x', null)",
        "com.filterNull(null)",
        "com.filterNull({})",
        "com.filterNull('abc')",
        "com.envList(null)",
        "com.envList([])",
        "com.getValueOrDefault(null, 'a', 1)",
        "com.getValueOrDefault([], 'a', 1)",
        "com.getValueOrDefault({}, 1, 1)",
        "com.getValueOrDefault({}, 'a')",
        "com.makeMergeable(null)",
        "com.makeMergeable([])",
        "com.makeMergeable('x')",
    ],
)
def test_other_types_are_refused(expression: str, anywhere: Evaluate) -> None:
    with pytest.raises(JsonnetError):
        anywhere(expression)
