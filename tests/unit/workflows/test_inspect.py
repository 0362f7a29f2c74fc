"""Hierarchies that are not compiled: names of values, given facts."""

from __future__ import annotations

from pathlib import Path

import yaml

from commodore_py.workflows.inventory.sources import (
    class_names,
    class_of_facts,
    fake_cluster,
    ids_in,
    overlaid,
)


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
