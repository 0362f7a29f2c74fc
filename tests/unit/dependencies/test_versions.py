"""Entries that set a version of something without a known repository."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.dependencies.requesters import ClusterParameters
from commodore_py.dependencies.versions import overrides_without_url
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Instance

URL = {"url": "https://host/x.git"}
INSTANCES = (Instance("foo", "foo"), Instance("foo-2", "foo"))


def places(parameters: dict[str, Any]) -> list[str]:
    return [
        error.where for error in overrides_without_url(ClusterParameters(parameters), INSTANCES)
    ]


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        ({"foo": URL, "foo-2": {"version": "v2"}}, []),
        ({"foo-2": {"version": "v2"}}, ["parameters.components.foo"]),
        ({"foo": URL, "zz": {"version": "v1"}, "xx": None}, ["xx", "zz"]),
        ({"foo": {"version": "v1"}}, ["foo"]),
        ({}, []),
        (None, []),
    ],
)
def test_every_listed_component_needs_a_url(components: object, expected: list[str]) -> None:
    prefix = "parameters.components."

    found = places({"components": components})

    assert [place.removeprefix(prefix) for place in found] == [
        place.removeprefix(prefix) for place in expected
    ]


def test_every_listed_package_needs_a_url() -> None:
    parameters = {"components": {"a": {}}, "packages": {"p": {"version": "v1"}, "q": URL}}

    assert places(parameters) == ["parameters.components.a", "parameters.packages.p"]


def test_a_list_is_not_a_mapping() -> None:
    with pytest.raises(CommodoreError) as caught:
        overrides_without_url(ClusterParameters({"packages": ["p"]}), ())

    assert caught.value.where == "parameters.packages"
