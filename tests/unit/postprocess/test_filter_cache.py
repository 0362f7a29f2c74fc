"""After an edit, exactly the filters that it reaches run again; all bytes are right."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from tests.support.scenarios.filters import HELM, JSONNET, FilteredInstances

if TYPE_CHECKING:
    from pathlib import Path

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
FILTER = "dependencies/app/filter.jsonnet"
CODE = """
local com = import 'lib/commodore.libjsonnet';
local inv = com.inventory().parameters;
local out = std.extVar('output_path');
{ made: { of: std.native('yaml_load')(out + '/one.yaml'), size: inv.app.size } }
"""
NODE = {
    "classes": ["a"],
    "__reclass__": {"timestamp": "now"},
    "parameters": {"app": {"size": 1}, "other.one": {"size": 1}},
}


class CachedInstances:
    """Instances whose filters run with results of before, and without."""

    def __init__(
        self, instances: FilteredInstances, store: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.instances, self.store, self.caplog = instances, store, caplog

    def run(self) -> list[str]:
        """Filter both ways; the bytes must be the same. Returns which filters ran."""
        self.caplog.clear()
        with self.caplog.at_level(logging.DEBUG, "commodore_py.cache"):
            found = self.instances.run(result_cache=self.store)
        assert found == self.instances.run()
        lines = [
            record.getMessage() for record in self.caplog.records if record.levelno == logging.DEBUG
        ]
        return [line.split(": ")[1] for line in lines if "taken from the cache" not in line]


@pytest.fixture
def cached(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> CachedInstances:
    """One instance with a filter of each kind."""
    instances = FilteredInstances(tmp_path / "work", raw=dict(NODE))
    instances.filters = {"app": [JSONNET, HELM]}
    instances.compiled = {"app": {"out/one.yaml": MAP, "out/two.yaml": MAP, "far/away.txt": "x"}}
    instances.write(FILTER, CODE)
    cached = CachedInstances(instances, tmp_path / "store", caplog)
    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]
    assert cached.run() == []
    return cached


def test_an_edited_filter_reaches_itself_and_who_sees_its_output(cached: CachedInstances) -> None:
    cached.instances.write(FILTER, CODE.replace("made", "more"))

    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]
    assert cached.run() == []


def test_an_edit_without_effect_reaches_the_filter_alone(cached: CachedInstances) -> None:
    cached.instances.write(FILTER, f"{CODE}// a comment\n")

    assert cached.run() == ["filter filter.jsonnet"]


def test_a_file_reaches_who_reads_it(cached: CachedInstances) -> None:
    cached.instances.compiled["app"]["out/two.yaml"] = MAP.replace("one", "two")

    assert cached.run() == ["filter helm_namespace"]


def test_a_file_elsewhere_affects_no_instance_and_stays(cached: CachedInstances) -> None:
    cached.instances.compiled["app"]["far/away.txt"] = "y"

    assert cached.run() == []


def test_a_value_reaches_who_reads_its_parameter(cached: CachedInstances) -> None:
    cached.instances.raw["parameters"] = {"app": {"size": 1}, "other.one": {"size": 2}}
    assert cached.run() == []

    cached.instances.raw["parameters"] = {"app": {"size": 2}, "other.one": {"size": 2}}
    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]


def test_a_parameter_with_a_dot_is_a_parameter_like_others(cached: CachedInstances) -> None:
    cached.instances.write(FILTER, CODE.replace("inv.app", "inv['other.one']"))
    cached.run()
    assert cached.run() == []

    cached.instances.raw["parameters"] = {"app": {"size": 1}, "other.one": {"size": 5}}
    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]


def test_the_time_of_the_inventory_reaches_who_reads_it(cached: CachedInstances) -> None:
    cached.instances.raw["__reclass__"] = {"timestamp": "later"}
    assert cached.run() == []

    cached.instances.write(FILTER, "{ made: std.native('commodore_inventory')() }")
    cached.run()
    cached.instances.raw["__reclass__"] = {"timestamp": "later still"}
    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]


def test_arguments_are_part_of_a_filter(cached: CachedInstances) -> None:
    other = {**HELM, "filterargs": {"namespace": "other"}}
    cached.instances.filters = {"app": [JSONNET, other]}

    assert cached.run() == ["filter helm_namespace"]


def test_a_list_of_files_is_seen(cached: CachedInstances) -> None:
    code = "{ made: { of: std.native('list_dir')(std.extVar('output_path'), true) } }"
    cached.instances.write(FILTER, code)
    cached.instances.filters = {"app": [JSONNET]}
    cached.run()
    assert cached.run() == []

    cached.instances.compiled["app"]["out/three.yaml"] = MAP

    assert cached.run() == ["filter filter.jsonnet"]


def test_another_place_of_work_is_seen(cached: CachedInstances, tmp_path: Path) -> None:
    cached.instances.write(FILTER, "{ made: { of: std.md5(std.extVar('output_path')) } }")
    cached.run()

    cached.instances.root.rename(tmp_path / "elsewhere")
    cached.instances.root = tmp_path / "elsewhere"

    assert cached.run() == ["filter filter.jsonnet", "filter helm_namespace"]


def test_errors_are_reported_each_time(cached: CachedInstances) -> None:
    cached.instances.write(FILTER, "error 'broken'")

    for _ in range(2):
        with pytest.raises(CommodoreError):
            cached.instances.run(result_cache=cached.store)
