"""Parameters are filled in where targets differ by scalars, else they are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import pytest

from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.nodes import TargetsFailed
from commodore_py.inventory.engine.render import render_targets
from commodore_py.inventory.engine.templates import Template

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("one", "two", "three", "four")


def rendered(text: str, values: Sequence[object], *, together: bool) -> dict[str, object]:
    """What `a` is for targets that have another `v` each, or the error."""
    layers = text.split(" OVER ")
    generated = {f"c{n}": f"parameters: {{a: {one}}}".encode() for n, one in enumerate(layers)}
    targets = {
        name: {"classes": [*generated], "parameters": {"v": value}}
        for name, value in zip(_NAMES, values, strict=False)
    }
    found: dict[str, object] = {}
    for names in [[*targets]] if together else [[name] for name in targets]:
        files = ClassFiles((), generated=generated)
        some = {name: targets[name] for name in names}
        try:
            nodes = render_targets(files, some, dict.fromkeys(names, ""), missing_ok=False)
        except TargetsFailed as error:
            found |= dict.fromkeys(names, repr(error))
        else:
            found |= {name: repr(node.parameters["a"]) for name, node in nodes.items()}
    return found


TEXTS = ["x", "y", "z", "w"]


@pytest.mark.parametrize(
    ("text", "values", "filled"),
    [
        ("{b: 'x-${v}', c: [1, '${v}'], d: {e: 1}}", TEXTS, 3),
        ("{b: '${v}', c: '${v}', d: [[{e: '${v}'}]]}", TEXTS, 3),
        ("{b: '${v}'}", ["x", 1, True, 1.5], 3),
        ("'${v}'", TEXTS, 3),
        ("['${v}'] OVER [1]", TEXTS, 3),
        ("{b: 'x-${v}'} OVER {b: 1}", TEXTS, 0),
        ("{b: 'x-${v}', c: '${v}'} OVER {b: 1}", TEXTS, 3),
        ("{b: '${v}', c: '${v}'} OVER {b: 1}", TEXTS, 0),
        ("{b: '${v}', c: '${nope}'} OVER {c: 1}", TEXTS, 0),
        ("{b: '${v}'}", ["x", "y", {"k": 1}, "w"], 2),
        ("{b: '${v}'}", ["x", {"k": 1}, "z", "w"], 0),
        ("{b: '${v}'}", ["x", "y", None, "w"], 2),
        ("{b: '${v}', c: {'=d': 'x-${v}'}} OVER {b: 'y-${v}'}", TEXTS, 0),
        ("{b: 'x-${v}', c: {'=d': 'x-${v}'}} OVER {b: 'y-${v}'}", TEXTS, 3),
    ],
)
def test_targets_are_the_same_together_and_alone(
    text: str, values: Sequence[object], filled: int
) -> None:
    with mock.patch.object(Template, "filled", autospec=True, side_effect=Template.filled) as fill:
        together = rendered(text, values, together=True)

    assert together == rendered(text, values, together=False)
    assert fill.call_count == filled


def test_a_scalar_that_becomes_a_mapping_below_another_layer_fails() -> None:
    text, values = "{b: '${v}', c: 'x-${v}'} OVER {b: 1}", ["x", "y", "z", {"k": 1}]

    assert "TargetsFailed" in str(rendered(text, values, together=True))
    assert "TargetsFailed" in str(rendered(text, values, together=False)["four"])


def test_what_is_filled_in_is_not_shared() -> None:
    generated = {"c": b"parameters: {a: {b: {c: '${v}'}, d: {e: 1}}}"}
    targets = {name: {"classes": ["c"], "parameters": {"v": name}} for name in _NAMES}
    files = ClassFiles((), generated=generated)

    nodes = render_targets(files, targets, dict.fromkeys(targets, ""), missing_ok=False)

    third, fourth = (nodes[name].parameters["a"] for name in ("three", "four"))
    assert third["b"] is not fourth["b"]
    assert third["b"] == {"c": "three"}
    assert third["d"] is fourth["d"]


def test_what_has_the_scalars_of_the_target_before_is_shared() -> None:
    generated = {"c": b"parameters: {a: {b: {c: '${v}'}, d: {e: '${w}'}}, v: x, w: y}"}
    values = [("x1", "y1"), ("x2", "y1"), ("x3", "y1"), ("x3", "y2"), ("x4", "y2"), ("x4", "y2")]
    targets = {
        f"t{n}": {"classes": ["c"], "parameters": {"v": v, "w": w}}
        for n, (v, w) in enumerate(values)
    }
    files = ClassFiles((), generated=generated)

    nodes = render_targets(files, targets, dict.fromkeys(targets, ""), missing_ok=False)

    found = [node.parameters["a"] for node in nodes.values()]
    assert found == [{"b": {"c": v}, "d": {"e": w}} for v, w in values]
    assert found[1]["d"] is found[2]["d"]
    assert found[2]["b"] is not found[1]["b"]
    assert found[4] is found[5]


def test_a_scalar_is_looked_up_again_where_what_it_depends_on_has_changed() -> None:
    generated = {"c": b"parameters: {a: {b: '${names:${v}}'}, names: {x: 1, y: 2}}"}
    more: list[dict[str, object]] = [
        {"v": "x"},
        {"v": "y"},
        {"v": "y", "names": {"y": 3}},
        {"v": "y", "names": {"y": 3, "z": 0}},
        {"v": "x", "names": {"y": 3, "z": 0}},
        {"v": "x"},
    ]
    targets = {f"t{n}": {"classes": ["c"], "parameters": one} for n, one in enumerate(more)}
    files = ClassFiles((), generated=generated)

    nodes = render_targets(files, targets, dict.fromkeys(targets, ""), missing_ok=False)

    assert [node.parameters["a"]["b"] for node in nodes.values()] == [1, 2, 3, 3, 1, 1]


def test_a_text_behind_a_large_mapping_counts_once_for_a_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("commodore_py.inventory.engine.resolver.MOST_VALUES", 200)
    many = "\n".join(f"  p{n}: {{b: '${{alias:name}}', c: '${{v}}'}}" for n in range(20))
    large = ", ".join(f"k{n}: 1" for n in range(20))
    text = f"parameters:\n  large: {{name: x, {large}}}\n  alias: ${{large}}\n{many}\n"
    targets = {name: {"classes": ["c"], "parameters": {"v": name}} for name in _NAMES}
    files = ClassFiles((), generated={"c": text.encode()})

    nodes = render_targets(files, targets, dict.fromkeys(targets, ""), missing_ok=False)

    assert nodes["four"].parameters["p19"] == {"b": "x", "c": "four"}


def test_a_large_mapping_counts_once_if_it_takes_the_place_of_a_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("commodore_py.inventory.engine.resolver.MOST_VALUES", 150)
    values: list[object] = ["x", "y", "z", dict.fromkeys(map(str, range(99)), 1)]

    assert "TargetsFailed" not in str(rendered("{b: '${v}'}", values, together=True))
