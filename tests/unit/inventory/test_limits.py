"""Hierarchies that grow without end are errors with a place, and what only looks so is resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import MOST_ERRORS, Engine
from commodore_py.inventory.engine.resolver import MOST_LEVELS, MOST_VALUES
from tests.support.builders import errors_in

if TYPE_CHECKING:
    from collections.abc import Mapping


def rendered(*layers: object, classes: tuple[str, ...] = ()) -> Mapping[str, object]:
    """The parameters of a target with these layers."""
    generated = {f"c{n}": yaml.dump({"parameters": layer}) for n, layer in enumerate(layers)}
    engine = Engine(ClassFiles((), generated=generated), missing_ok=False)
    target = {"classes": [*generated, *classes], "parameters": {}}
    return engine.render("t", target, "").parameters


def refused(*layers: object, classes: tuple[str, ...] = ()) -> tuple[CommodoreError, ...]:
    with pytest.raises(CommodoreError) as caught:
        rendered(*layers, classes=classes)
    return errors_in(caught.value)


def nested(levels: int) -> str:
    return "${" * levels + "b" + "}" * levels


def chain(length: int) -> dict[str, str]:
    return {f"x{n}": f"${{x{n + 1}}}" for n in range(length)} | {f"x{length}": "end"}


def growing(count: int, start: object, grow: str) -> dict[str, object]:
    """Each value is twice the one before."""

    def twice(one: str) -> object:
        return {
            "string": f"{one}{one}",
            "list": [one, one],
            "mapping": {"a": one, "b": one},
            "list in a mapping": {"a": [one], "b": [[one]]},
            "as a string": f"{one}-{one}",
        }[grow]

    return {"x0": start, **{f"x{n + 1}": twice(f"${{x{n}}}") for n in range(count)}}


@pytest.mark.parametrize("levels", [65, 66, 500, 5_000, 50_000])
def test_references_nested_deeper_than_reclass_has_them_are_an_error(levels: int) -> None:
    (error,) = refused({"a": nested(levels), "b": "b"})

    assert "references are nested deeper than 64 levels" in str(error)
    assert error.where == "target t: parameters.a"


def test_references_nested_as_deep_as_reclass_has_them_are_resolved() -> None:
    assert rendered({"a": nested(64), "b": "b"})["a"] == "b"


@pytest.mark.parametrize(
    "text", ["${" * 50_000, "${a:" * 50_000, "${a::${" * 20_000, "$[" * 50_000]
)
def test_references_that_never_end_are_an_error_or_a_string(text: str) -> None:
    errors = refused({"a": text, "b": "${missing}"})

    assert len(errors) in {1, 2}


def test_nested_references_in_the_name_of_a_class_are_an_error() -> None:
    (error,) = refused({"b": "b"}, classes=(nested(5_000),))

    assert "references are nested deeper than 64 levels" in str(error)


def test_a_chain_of_64_references_is_resolved() -> None:
    assert rendered(chain(64))["x0"] == "end"


@pytest.mark.slow
@pytest.mark.parametrize("length", [66, 5_000])
@pytest.mark.parametrize("first", ["the end", "the beginning"])
def test_a_longer_chain_of_references_is_an_error(length: int, first: str) -> None:
    parameters = chain(length)
    if first == "the end":
        parameters = dict(reversed(parameters.items()))

    errors = refused(parameters)

    assert {str(error) for error in errors} == {"references are nested deeper than 64 levels"}
    assert len(errors) <= MOST_ERRORS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["string", "list", "mapping", "list in a mapping", "as a string"])
@pytest.mark.parametrize("start", ["x", ["x"], {"x": "y"}], ids=["string", "list", "mapping"])
@pytest.mark.sample(3)
def test_doubling_by_references_is_an_error(kind: str, start: object) -> None:
    errors = refused(growing(40, start, kind))

    assert f"references add more than {MOST_VALUES:,} values to the target" in str(errors[0])
    assert errors[0].where.startswith("target t: parameters.x")


def test_doubling_by_layers_that_are_joined_is_an_error() -> None:
    layer = {f"x{n + 1}": f"${{x{n}}}" for n in range(40)}

    errors = refused({"x0": ["x"], **{f"x{n + 1}": [] for n in range(40)}}, layer, layer)

    assert "references add more than" in str(errors[0])


@pytest.mark.slow
def test_many_references_to_a_long_list_are_an_error() -> None:
    errors = refused({"b": list(range(20_000)), "a": ["${b}"] * 1_000})

    assert "references add more than" in str(errors[0])


def test_a_few_doublings_are_resolved() -> None:
    value = rendered(growing(12, ["x"], "list"))["x12"]
    for _ in range(12):
        assert isinstance(value, list)
        value = value[0]

    assert value == ["x"]


def test_a_value_that_references_nest_is_an_error_before_it_is_too_deep_to_be_written() -> None:
    def wrapped(value: object) -> object:
        for _ in range(20):
            value = {"m": value}
        return value

    errors = refused({"x0": 1, **{f"x{n + 1}": wrapped(f"${{x{n}}}") for n in range(60)}})

    assert f"a value of more than {MOST_LEVELS} levels" in str(errors[0])


@pytest.mark.parametrize(
    "digits", ["9" * 5_000, "-" + "9" * 5_000, "0x" + "f" * 5_000, "0o" + "7" * 5_000]
)
def test_integers_that_no_type_holds_stay_strings_as_reclass_reads_them(digits: str) -> None:
    files = ClassFiles((), generated={"c": f"parameters:\n  a: {digits}\n".encode()})

    node = Engine(files, missing_ok=False).render("t", {"classes": ["c"], "parameters": {}}, "")

    assert node.parameters["a"] == digits


def test_hexadecimal_zeros_do_not_make_an_integer_large() -> None:
    files = ClassFiles((), generated={"c": f"parameters:\n  a: 0x{'0' * 5_000}1f\n".encode()})

    node = Engine(files, missing_ok=False).render("t", {"classes": ["c"], "parameters": {}}, "")

    assert node.parameters["a"] == 31


@pytest.mark.slow
def test_many_aliases_are_counted_once() -> None:
    lines = "".join(f"  b{n}: *a\n" for n in range(20_000))
    files = ClassFiles((), generated={"c": f"parameters:\n  a: &a [1, 2]\n{lines}".encode()})

    node = Engine(files, missing_ok=False).render("t", {"classes": ["c"], "parameters": {}}, "")

    assert node.parameters["b19999"] == [1, 2]
