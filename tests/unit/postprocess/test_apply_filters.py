"""Running the filters of instances: what golden cases of filter runs cannot show."""

from __future__ import annotations

import logging
from pathlib import Path, PurePosixPath

import pytest

from commodore_py.model.inventory import Inventory
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources
from tests.support.scenarios.filters import HELM, JSONNET, FilteredInstances


@pytest.fixture
def instances(tmp_path: Path) -> FilteredInstances:
    return FilteredInstances(tmp_path, {"app": [JSONNET]}, {"app": {"out/a.yaml": "kind: A\n"}})


def test_filters_write_nothing_to_disk(instances: FilteredInstances) -> None:
    instances.write("dependencies/app/filter.jsonnet", "{ a: 1 }")
    before = sorted(instances.root.rglob("*"))

    instances.run()

    assert sorted(instances.root.rglob("*")) == before


def test_executable_files_stay_executable_and_filled_folders_are_not_empty(
    instances: FilteredInstances,
) -> None:
    tree = Tree(
        {PurePosixPath("run.yaml"): Entry(b"", executable=True)},
        frozenset({PurePosixPath("hollow"), PurePosixPath("void")}),
    )
    node = make_node("app", parameters={"commodore": {"postprocess": {"filters": [JSONNET]}}})
    instances.write("dependencies/app/filter.jsonnet", "{ '../run': 1, '../hollow/x': 2 }")
    checkout = make_dependency("app", instances.root / "dependencies/app")
    sources = make_sources(instances.root, Inventory({"app": node}), [checkout])

    filtered, _ = apply_filters(make_config(instances.root), {"app": tree}, sources)

    assert filtered["app"][PurePosixPath("run.yaml")] == Entry(b"1\n...\n", executable=True)
    assert filtered["app"].empty_folders == {PurePosixPath("void")}


def test_disabled_filter_is_logged(
    instances: FilteredInstances, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    instances.filters = {"app": [{**HELM, "enabled": False}]}

    filtered, notices = instances.run()

    assert filtered == {"app": {"out/a.yaml": "kind: A\n"}}
    assert notices == ()
    assert "filter helm_namespace of app is disabled" in caplog.text
