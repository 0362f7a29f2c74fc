"""Targets that share classes and parameters are resolved together as each is alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import Engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.inventory.targets import Target


def outcomes(classes: Mapping[str, str], targets: Mapping[str, Target]) -> dict[str, object]:
    """The node of each target or its error, resolved by one engine."""
    files = ClassFiles((), generated={name: text.encode() for name, text in classes.items()})
    engine = Engine(files, missing_ok=True)
    results: dict[str, object] = {}
    for name, target in targets.items():
        try:
            node = engine.render(name, target, "")
        except CommodoreError as error:
            results[name] = repr(error)
        else:
            parameters = repr([*node.parameters.items()])
            results[name] = parameters, node.applications, node.classes
    return results


def assert_alike_together_and_alone(classes: Mapping[str, str], targets: dict[str, Target]) -> None:
    alone: dict[str, object] = {}
    for name, target in targets.items():
        alone |= outcomes(classes, {name: target})

    assert outcomes(classes, targets) == alone
    assert outcomes(classes, dict(reversed(targets.items()))) == alone


SHARED = {
    "shared": "{classes: [.below, '${kind}', again], applications: [one, ~two], parameters:"
    " {k: {shared: 1}, l: [shared], ~o: [shared], c: {'=d': 1}}}",
    "below": "parameters: {k: {below: 1}, l: [below], o: [below], first: {x: 1}}",
    "again": "{applications: [three], parameters: {l: [again]}}",
    "a": "parameters: {of: a}",
    "b": "parameters: {of: b}",
}


@pytest.mark.parametrize(
    "other",
    [
        "parameters: {kind: a}",
        "parameters: {kind: b}",
        "parameters: {kind: a, k: {own: 1}, l: [own]}",
        "parameters: {kind: a, o: [own], new: 1}",
        "parameters: {kind: a, o: {own: 1}, first: null}",
        "parameters: {kind: '${other}', other: b}",
        "{parameters: {kind: a}, classes: [again]}",
        "{parameters: {kind: a}, classes: [below, a]}",
        "{parameters: {kind: a}, applications: [two, four]}",
        "{parameters: {kind: a}, applications: [~one]}",
        "parameters: {kind: a, '=own': 1}",
        "parameters: {kind: a, '=l': [1]}",
        "parameters: {kind: '${_reclass_:name:short}'}",
        "parameters: {kind: a, _reclass_: {more: 1}}",
        "parameters: {kind: a, ~_reclass_: {less: 1}}",
    ],
)
def test_class_lists_that_begin_differently(other: str) -> None:
    classes = {**SHARED, "first": "parameters: {kind: a, k: {f: 1}}", "other": other}
    targets: dict[str, Target] = {
        name: {"classes": [beginning, "shared", "again"], "parameters": {"last": name}}
        for name, beginning in (("t", "first"), ("a", "other"), ("b", "other"), ("u", "first"))
    }

    assert_alike_together_and_alone(classes, targets)


@pytest.mark.parametrize(
    "extra", ["", "odd", "all", "again", "c9", "of-${_reclass_:name:short}", "kind-${kind}", "nope"]
)
@pytest.mark.parametrize("place", range(0, 11, 2))
def test_class_lists_that_differ_at_one_place(extra: str, place: int) -> None:
    classes = {f"c{n}": f"parameters: {{l: [{n}], p{n}: '${{v}}'}}" for n in range(10)} | {
        "all": "classes: [c2, c3, c4, c5]",
        "odd": "{classes: [c6], parameters: {l: [odd], kind: odd, '=fixed': 1}}",
        "again": "parameters: {l: [again], fixed: 2}",
        "kind-odd": "parameters: {l: [of-odd]}",
        "kind-even": "parameters: {l: [of-even]}",
        "of-one": "parameters: {l: [of-one]}",
        "of-two": "parameters: {l: [of-two]}",
        "even": "parameters: {l: [even], kind: even}",
    }
    common = [f"c{n}" for n in range(10)]
    with_extra = [*common[:place], *filter(None, [extra]), *common[place:]]
    lists = {
        "one": ["even", *with_extra],
        "two": ["even", *common[:3], "odd", *common[4:], *with_extra[:1]],
        "three": ["odd", *with_extra],
        "four": ["even", *with_extra],
        "five": [*with_extra[1:], "even"],
        "six": [],
    }

    targets = {name: {"classes": names, "parameters": {"v": 1}} for name, names in lists.items()}

    assert_alike_together_and_alone(classes, targets)


@pytest.mark.parametrize(
    "layers",
    [
        ["{b: 'x-${v}', c: [1, '${v}'], d: {e: 1}}"],
        ["{b: '${v}', c: '${v}', d: [[{e: '${v}'}]]}"],
        ["['${v}']", "[1]"],
        ["{b: 'x-${v}', c: '${v}'}", "{b: 1}"],
        ["{b: '${v}', c: '${nope}'}", "{c: 1}"],
        ["{b: '${v}', c: {'=d': 'x-${v}'}}", "{b: 'y-${v}'}"],
        ["{b: '${names:${v}}'}", "{c: '${v::default}'}"],
        ["{b: '${v}'}", "null", "{c: '${v}'}"],
    ],
)
@pytest.mark.parametrize(
    "values",
    [
        ["x", "y", "z"],
        ["x", 1, True],
        ["x", {"k": 1}, "z"],
        ["x", None, ["z"]],
        ["${w}", "${nope}", "${a}"],
    ],
)
def test_parameters_that_refer_to_values_of_the_target(
    layers: list[str], values: Iterable[object]
) -> None:
    classes = {f"c{n}": f"parameters: {{a: {layer}, w: w}}" for n, layer in enumerate(layers)}
    names = {"x": 1, "y": 2}
    targets: dict[str, Target] = {
        f"t{n}": {"classes": [*classes], "parameters": {"v": value, "names": names}}
        for n, value in enumerate(values)
    }
    targets["missing"] = {"classes": [*classes], "parameters": {}}

    assert_alike_together_and_alone(classes, targets)


def test_equal_parameters_of_targets_are_one_object() -> None:
    classes = {"c": "parameters: {k: {x: [1], y: '${d}'}, own: {e: '${v}', s: {t: 1}}, d: {z: 2}}"}
    files = ClassFiles((), generated={name: text.encode() for name, text in classes.items()})
    engine = Engine(files, missing_ok=False)

    one, two = (
        engine.render(name, {"classes": ["c"], "parameters": {"v": name}}, "").parameters
        for name in ("one", "two")
    )

    assert one["k"] is two["k"]
    assert (one["own"]["e"], two["own"]["e"]) == ("one", "two")
    assert one["own"]["s"] is two["own"]["s"]


def test_error_in_one_target_does_not_affect_others() -> None:
    classes = {
        "fails": "classes: [inner, nope]",
        "works": "classes: [inner]",
        "inner": "parameters: {l: [inner]}",
        "own": "parameters: {l: [own]}",
    }
    files = ClassFiles((), generated={name: text.encode() for name, text in classes.items()})
    engine = Engine(files, missing_ok=False)

    def lists_of(*names: str) -> object:
        target = {"classes": [*names], "parameters": {}}
        return engine.render("-".join(names), target, "").parameters["l"]

    with pytest.raises(CommodoreError, match="nope not found"):
        lists_of("fails", "own")

    assert lists_of("works", "own") == ["inner", "own"]
    assert lists_of("own", "works") == ["own", "inner"]
