"""References that are accepted but will not work: reported with their locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.inventory import Inventory
from commodore_py.refs import explain, reference_problems, render_refs
from tests.support.builders import make_node

if TYPE_CHECKING:
    from collections.abc import Hashable

    from commodore_py.model.problem import Problem

SETTINGS = {"kapitan": {"secrets": {"vaultkv": {"mount": "kv"}}}}


def problems_of(**parameters: object) -> tuple[Problem, ...]:
    node = make_node(parameters={**SETTINGS, **parameters})
    return reference_problems(Inventory({"cluster": node}), place_of)


def place_of(_target: str, path: tuple[Hashable, ...]) -> str:
    return f"tenant/common.yml:{len(path)}"


def test_usual_references_are_not_a_problem() -> None:
    texts = ["?{vaultkv:t-x/c_1/a.b/pw}", "?{vaultkv:a/b:12345678}", "?{}", "{vaultkv:a", "?{x"]

    assert problems_of(a=texts, b="?{vaultkv:c/d} and ?{vaultkv:c/e}") == ()


def test_reference_in_a_key_is_none_but_reported() -> None:
    (notice,) = problems_of(a=[{"?{vaultkv:x/y}": 1}])

    assert "?{vaultkv:x/y} stands in a key" in notice.message
    assert notice.where == "tenant/common.yml:2\ntarget cluster, parameters.a[0]"
    assert not notice.strict


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("?{vaultkv:a/b\nc}", "characters"),
        ("?{vaultkv:a/b\x07}", "characters"),
        ("?{vaultkv: a/b}", "characters"),
        ("?{vaultkv:a/$b}", "characters"),
        ("?{vaultkv:a/b", "no closing brace"),
        ("one ?{vaultkv:a/b} two ?{vaultkv:c", "no closing brace"),
        ("?{vaultkv", "no closing brace"),
        ("?{vaultkv:a/b and ?{vaultkv:c/d}", "holds another one"),
        ("?{vaultkv:a/b/}", "names no key"),
        ("?{vaultkv:a/b||random:str}", "function"),
        ("?{vaultkv:a/b@c.d}", "a part of ?{vaultkv:a/b}, which no parameter holds"),
    ],
)
def test_malformed_reference_is_reported_with_parameter_and_place(text: str, message: str) -> None:
    (notice,) = problems_of(some={"pw": text})

    assert message in notice.message
    assert notice.where == "tenant/common.yml:2\ntarget cluster, parameters.some.pw"
    assert notice.strict


def test_malformed_references_are_compiled_all_the_same() -> None:
    texts = ["?{vaultkv:a/b/}", "?{vaultkv:c/d||random:str}", "?{vaultkv:e/f@g}", "?{vaultkv:h"]
    inventory = Inventory({"cluster": make_node(parameters={**SETTINGS, "a": texts})})

    assert [file.path for file in render_refs(inventory)] == ["a/b", "c/d||random", "e/f@g"]


def test_part_of_a_declared_secret_is_not_a_problem() -> None:
    assert problems_of(a="?{vaultkv:a/b@c.d}", b="?{vaultkv:a/b}") == ()


def test_reference_in_many_places_is_reported_once() -> None:
    (notice,) = problems_of(a=["?{vaultkv:a/}", "?{vaultkv:a/}"], b="?{vaultkv:a/}")

    assert notice.where == "tenant/common.yml:2\ntarget cluster, parameters.a[0] (and 2 more)"


def test_no_location_is_looked_up_without_a_problem() -> None:
    def must_not(_target: str, _path: tuple[Hashable, ...]) -> str:
        raise AssertionError

    inventory = Inventory({"cluster": make_node(parameters={**SETTINGS, "a": "?{vaultkv:a/b}"})})

    assert reference_problems(inventory, must_not) == ()
    assert len(render_refs(inventory, must_not)) == 1


def test_error_about_a_suspicious_reference_has_its_location() -> None:
    found = problems_of(a="?{vaultkv:a/}", b="?{vaultkv:b/}")
    failures = [CommodoreError("no file for ?{vaultkv:a/} here"), CommodoreError("something else")]
    failures[0].subject = "?{vaultkv:a/}"

    explain(SeveralErrors("both", errors=failures), found)

    (note,) = notes_of(failures[0])
    assert note.startswith("reference '?{vaultkv:a/}' names no key")
    assert note.endswith(": tenant/common.yml:1, target cluster, parameters.a")
    assert notes_of(failures[1]) == ()
