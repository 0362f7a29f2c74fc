"""Invalid entries: their location, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.compiler import check_entries
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.explain.places import shown
from commodore_py.inventory.explain.replay import Hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.model.inventory import Instance, Inventory
from tests.support.builders import errors_in, make_node

if TYPE_CHECKING:
    from pathlib import Path

JSONNET = {"input_type": "jsonnet", "input_paths": ["a.jsonnet"], "output_path": "a"}
CHART = {"type": "helm", "chart_name": "x", "source": "https://host/charts", "output_path": "x"}


def check(root: Path, lists: dict[str, Any], *, text: str = "") -> None:
    (root / "main.yml").write_text(text)
    hierarchy = Hierarchy(
        ClassFiles([("", root)]),
        {"web": b"classes: [main]\n"},
        shown=lambda file: shown(file, root.resolve()),
    )
    node = make_node("web", parameters={"kapitan": lists})
    inventory = Inventory({"cluster": make_node(), "web": node}, (Instance("web", "web"),))
    check_entries(inventory, Locator(lambda: hierarchy).parameter)


def reported(root: Path, **lists: object) -> list[str]:
    with pytest.raises(CommodoreError) as caught:
        check(root, lists)
    errors = errors_in(caught.value)
    assert all(error.where.startswith("target web, parameters.kapitan.") for error in errors)
    return [f"{error}; {error.hint}" for error in errors]


@pytest.mark.parametrize(
    "lists",
    [
        {"compile": [JSONNET], "dependencies": None},
        {"compile": [{**JSONNET, "output_type": "yml", "prune": "yes", "ignore_missing": None}]},
        {"compile": [{"input_type": "remove", "input_paths": ["compiled/web/x"]}]},
        {"compile": [{**JSONNET, "input_type": "helm", "helm_values": None, "name": "n"}]},
        {"compile": [JSONNET], "dependencies": [CHART, {**CHART, "version": None}]},
    ],
)
def test_what_kapitan_takes_is_taken(tmp_path: Path, lists: dict[str, Any]) -> None:
    check(tmp_path, lists)


@pytest.mark.parametrize(
    ("name", "entry", "expected"),
    [
        (
            "compile",
            {**JSONNET, "input_type": "jsonent"},
            "'jsonent' is not a valid input type; did you mean jsonnet? Else, there are copy, ",
        ),
        ("compile", {"output_path": "x"}, "an entry of compile has no input_type; add input_type"),
        ("compile", "x", "an entry of compile must be a mapping, not 'x'; "),
        (
            "compile",
            {"input_type": "copy", "output_path": "x"},
            "input type copy needs input_paths; add input_paths",
        ),
        (
            "compile",
            {**JSONNET, "output_pth": "x"},
            "input type jsonnet has no key output_pth; did you mean output_path? Else, ",
        ),
        (
            "compile",
            {**JSONNET, "input_paths": ["a", 1]},
            "input_paths of input type jsonnet must be a list of strings, not ['a', 1]; ",
        ),
        (
            "compile",
            {**JSONNET, "output_type": "xml"},
            "output_type of input type jsonnet must be one of json, yaml, yml, plain, ",
        ),
        (
            "dependencies",
            {**CHART, "version": 1.5},
            "version of dependency type helm must be a string, or null, not 1.5; ",
        ),
        (
            "dependencies",
            {**CHART, "type": "ftp"},
            "'ftp' is not a valid dependency type; there are git, helm, http, https, oci",
        ),
    ],
)
def test_what_kapitan_refuses_is_explained(
    tmp_path: Path, name: str, entry: object, expected: str
) -> None:
    (text,) = reported(tmp_path, **{name: [entry]})

    assert text.startswith(f"web: {expected}")


def test_all_entries_of_a_target_are_reported_together(tmp_path: Path) -> None:
    broken = {**JSONNET, "input_paths": 1, "prune": []}

    assert len(reported(tmp_path, compile=[JSONNET, broken], dependencies=[{}])) == 3


def test_an_entry_has_its_line(tmp_path: Path) -> None:
    text = """parameters:
  kapitan:
    compile:
      - input_type: jsonnet
        input_paths: [a]
        output_pth: x
"""
    entry = {"input_type": "jsonnet", "input_paths": ["a"], "output_pth": "x"}

    with pytest.raises(CommodoreError) as caught:
        check(tmp_path, {"compile": [entry]}, text=text)

    assert {error.where for error in errors_in(caught.value)} == {
        "main.yml:6\ntarget web, parameters.kapitan.compile[0].output_pth",
        "main.yml:4\ntarget web, parameters.kapitan.compile[0]",
    }
