"""YAML as PyYAML itself reads it; the differential tests compare the two at length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml as pyyaml

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml import exact as yaml_exact
from commodore_py.adapters.yaml.error import YamlError

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: !\n", {"a": None}),
        ("a: ! 12\n", {"a": 12}),
        ("- ! \n- 1\n", [None, 1]),
        ("\r\ufeff:\n", {"\ufeff": None}),
        ('"\\ud800"\n', "\ud800"),
        ("\ufeffa: 1\n", {"a": 1}),
        ("if ! true\n", "if ! true"),
    ],
)
def test_what_libyaml_reads_otherwise_is_read_as_pyyaml_does(text: str, value: object) -> None:
    assert pyyaml.safe_load(text) == value
    assert yaml_exact.load(text, name="x.yaml") == value


def test_what_only_libyaml_reads_is_read() -> None:
    with pytest.raises(pyyaml.YAMLError):
        pyyaml.safe_load("a: 1\t\n")

    assert yaml_exact.load("a: 1\t\n", name="x.yaml") == {"a": 1}


@pytest.mark.parametrize("load", [yaml.load, yaml_exact.load])
def test_a_lone_equals_sign_is_a_text(load: Callable[..., object]) -> None:
    assert load("[=, '=', =~]", name="x.yaml") == ["=", "=", "=~"]


@pytest.mark.parametrize(
    "text", ["!!bool x", "!!int x", "!!int ''", "!!float x", "!!timestamp x", "a: 2020-13-45"]
)
def test_a_tag_that_does_not_fit_is_an_error_of_ours(text: str) -> None:
    with pytest.raises(YamlError, match="not valid YAML") as caught:
        yaml_exact.load(text, name="x.yaml")

    assert caught.value.where.startswith("x.yaml")


def test_an_error_has_its_line() -> None:
    with pytest.raises(YamlError) as caught:
        yaml_exact.load_all("a: 1\n---\na: [\n", name="x.yaml")

    assert caught.value.where.startswith("x.yaml:4:1")


def test_place_of_a_value_that_cannot_be_followed_is_the_file() -> None:
    assert yaml_exact.place_of("a: 1\nb: [2]\n", (0, "b", 0), name="x.yaml") == "x.yaml:2"
    assert yaml_exact.place_of("a: [\n", (0, "a"), name="x.yaml") == "x.yaml"
