"""Layers that meet, by reclass's rules."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import render_targets
from tests.support.tables import each


def merged(*layers: str) -> object:
    """The parameter `k` of a target whose classes set these parameters, in this order."""
    generated = {f"c{n}": f"parameters: {layer}\n".encode() for n, layer in enumerate(layers)}
    files = ClassFiles((), generated=generated)
    target = {"classes": list(generated), "parameters": {}}
    nodes = render_targets(files, {"t": target}, {"t": ""}, missing_ok=False)
    return nodes["t"].parameters["k"]


@each(
    ("layers", "expected"),
    [
        (["{k: 1}", "{k: 2}"], 2),
        (["{k: 1}", "{k: text}"], "text"),
        (["{k: {a: 1, b: 1}}", "{k: {c: 1, a: 2}}"], {"a": 2, "b": 1, "c": 1}),
        (["{k: [1, 2]}", "{k: [2, 3]}"], [1, 2, 2, 3]),
        (["{k: [1]}", "{~k: [3]}"], [3]),
        (["{k: {a: [1], b: 1}}", "{k: {~a: [2]}}"], {"a": [2], "b": 1}),
        (["{k: {a: 1}}", "{~k: [1]}"], [1]),
        (["{k: {a: 1}}", "{k: null}"], None),
        (["{k: null}", "{k: {a: 1}}"], {"a": 1}),
        (["{k: [1]}", "{k: null}", "{k: {a: 1}}"], {"a": 1}),
        (["{k: {b: 2}, d: {a: 1}}", "{k: '${d}'}"], {"b": 2, "a": 1}),
        (["{k: [2], d: [1]}", "{k: '${d}'}"], [2, 1]),
        (["{k: {l: [1]}, d: {~l: [2]}}", "{k: '${d}'}"], {"l": [2]}),
        (["{k: '${nope}'}", "{k: 1}"], 1),
        (["{k: {a: 1}}", "{k: [1]}", "{~k: 5}"], 5),
        (["{k: {1: a, '1': b, true: c}}", "{k: {1: d}}"], {1: "c", "1": "b"}),
    ],
)
def test_later_layers_are_merged_over_earlier_ones(layers: list[str], expected: object) -> None:
    result = merged(*layers)

    assert result == expected
    if isinstance(result, dict) and isinstance(expected, dict):
        assert list(result) == list(expected)


@each(
    "layers",
    [
        ["{k: {a: 1}}", "{k: [1]}"],
        ["{k: [1]}", "{k: {a: 1}}"],
        ["{k: 1}", "{k: [1]}"],
        ["{k: {a: 1}}", "{k: 1}"],
        ["{k: {a: 1}}", "{k: [1]}", "{k: null}"],
        ["{=k: 1}", "{k: 2}"],
        ["{=k: 1}", "{~k: 2}"],
        ["{k: {=a: 1}}", "{k: {a: 2}}"],
        ["{k: {=a: 1}, d: {a: 2}}", "{k: '${d}'}"],
        ["{k: '${nope}'}", "{k: {a: 1}}"],
        ["{k: 1}", "{k: '${nope}'}"],
    ],
)
def test_layers_that_cannot_be_merged_are_refused(layers: list[str]) -> None:
    with pytest.raises(CommodoreError):
        merged(*layers)


def test_targets_share_what_they_have_in_common() -> None:
    generated = {"a": b"parameters: {k: {x: [1], y: '${d}'}, d: {z: 2}}\n"}
    files = ClassFiles((), generated=generated)
    targets: dict[str, dict[str, Any]] = {
        name: {"classes": ["a"], "parameters": {"own": name}} for name in ("one", "two")
    }

    nodes = render_targets(files, targets, {"one": "", "two": ""}, missing_ok=False)

    assert nodes["one"].parameters["k"] is nodes["two"].parameters["k"]
    assert nodes["two"].parameters["own"] == "two"


def test_a_parameter_that_is_null_is_not_one_that_is_missing() -> None:
    generated = {
        "shared": b"parameters: {k: '${maybe::default}'}",
        "null": b"parameters: {maybe: null}",
    }
    files = ClassFiles((), generated=generated)
    targets = {
        "missing": {"classes": ["shared"], "parameters": {}},
        "null": {"classes": ["shared", "null"], "parameters": {}},
    }

    nodes = render_targets(files, targets, dict.fromkeys(targets, ""), missing_ok=False)

    assert nodes["missing"].parameters["k"] == "default"
    assert nodes["null"].parameters["k"] is None
