"""Hierarchies that are not compiled: names of values, given facts, parts of parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from commodore_py.errors import CommodoreError
from commodore_py.workflows.inventory.facts import class_of_facts, fake_cluster, overlaid
from commodore_py.workflows.inventory.hierarchy import part_of
from commodore_py.workflows.inventory.values import class_names, ids_in

PARAMETERS: dict[str, Any] = {
    "facts": {"cloud": "aws", "lieutenant-instance": "x", "a.b": {"c": 1}},
    "images": [{"tag": "v1"}, {"tag": "v2"}],
    "ports": {8080: "http"},
    "nothing": None,
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("facts.cloud", "aws"),
        ("parameters.facts.cloud", "aws"),
        ('facts."a.b".c', 1),
        ("images.1.tag", "v2"),
        ("images[1].tag", "v2"),
        ("ports.8080", "http"),
        ("nothing", None),
    ],
)
def test_a_path_leads_to_a_part(path: str, expected: object) -> None:
    assert part_of(PARAMETERS, path) == expected


@pytest.mark.parametrize(
    ("path", "where", "hint"),
    [
        ("fact.cloud", "parameters", "did you mean facts?"),
        ("facts.clod", "parameters.facts", "did you mean facts.cloud?"),
        ("images.7", "parameters.images", "there are 0, 1"),
        ("nothing.at.all", "parameters.nothing", "parameters.nothing is not a mapping or list"),
    ],
)
def test_a_path_that_leads_nowhere_names_what_is_there(path: str, where: str, hint: str) -> None:
    with pytest.raises(CommodoreError, match=f"parameter {path} not found") as caught:
        part_of(PARAMETERS, path)

    assert (caught.value.where, caught.value.hint) == (where, hint)


def test_a_values_file_keeps_its_name_unless_that_is_taken() -> None:
    files = [Path(name) for name in ("a.yml", "b/a.yml", "base.yml", "x.y.yml", "init.yml", "c")]

    names = class_names(files, taken={"base", "values-4"})

    assert names == ["a", "values-2", "values-3", "values-4x", "values-5", "c"]


def test_the_last_file_that_names_a_cluster_counts(tmp_path: Path) -> None:
    contents = {
        "1.yml": "parameters: {cluster: {tenant: t-1, name: c-1}}\n",
        "2.yml": "parameters: {cluster: {name: c-2}}\n",
        "3.yml": "# nothing\n",
        "4.yml": "classes: [x]\n",
        "5.yml": "parameters: {facts: {cloud: x}}\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)

    assert ids_in(tmp_path / name for name in contents) == ("t-1", "c-2")


def test_made_up_parameters_are_known_as_such() -> None:
    def assumed(tenant: str, cluster: str) -> set[str]:
        return {one.parameter for one in fake_cluster(tenant, cluster).assumptions}

    facts = {"facts.distribution", "facts.cloud", "facts.region"}
    assert assumed("", "") == facts | {"cluster.tenant", "cluster.name"}
    assert assumed("t-1", "") == facts | {"cluster.name"}
    assert assumed("t-1", "c-1") == facts


def test_given_facts_replace_all_but_mappings() -> None:
    given = {"cloud": "x", "list": [1], "nested": {"deep": 2}}

    assert yaml.safe_load(class_of_facts(given)) == {
        "parameters": {"facts": {"~cloud": "x", "~list": [1], "nested": {"~deep": 2}}}
    }
    known = {"cloud": "y", "list": [0], "nested": {"deep": 1, "kept": 3}, "other": 4}
    assert overlaid(known, given) == {
        "cloud": "x",
        "list": [1],
        "nested": {"deep": 2, "kept": 3},
        "other": 4,
    }
