"""A new input type and a new filter are one module each, and one line in a table."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from commodore_py.compiler.fields import EVERY_INPUT, Field, text
from commodore_py.compiler.inputs import INPUT_TYPES, CachePolicy, record_nothing
from commodore_py.model.tree import Entry
from commodore_py.postprocess.filters import FILTERS
from commodore_py.postprocess.output import place
from tests.support.scenarios.compile_targets import CompileTargets
from tests.support.scenarios.filters import FilteredInstances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.cache.roots import Roots
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output
    from commodore_py.model.tree import Tree
    from commodore_py.postprocess.filters import Filter, Job


def shout(job: InputJob) -> Output:
    """A file in capital letters, with a mark of the entry's choice."""
    source = job.files.search_paths[1] / job.entry.input_paths[0]
    content = (job.files.read(source) or b"").upper() + job.entry.fields["mark"].encode()
    return job.output.with_files(
        {job.output.place(job.entry.output_path, source.name): Entry(content)}
    )


@pytest.fixture
def targets(tmp_path: Path) -> CompileTargets:
    """A target with one entry of the new type, and one that uses its output."""
    targets = CompileTargets(tmp_path / "work", tmp_path / "store")
    targets.write("greeting", "hello")
    targets.write("main.jsonnet", "{ all: importstr 'compiled/web/out/greeting' }")
    targets.entry("web", "greeting", kind="shout", mark="?")
    targets.entry("web", "main.jsonnet")
    return targets


def test_new_input_type_is_one_module_and_one_line(
    targets: CompileTargets, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = SimpleNamespace(
        FIELDS={**EVERY_INPUT, "mark": Field(text, default="!")},
        CACHE=CachePolicy(),
        render=shout,
        record=record_nothing,
    )
    monkeypatch.setitem(cast("dict[str, Any]", INPUT_TYPES), "shout", module)

    assert targets.compiled() == ["web greeting", "web main.jsonnet"]
    assert targets.compiled() == []

    targets.write("greeting", "goodbye")
    assert targets.compiled() == ["web greeting", "web main.jsonnet"]


class _Count:
    """A filter that counts the files of its folder."""

    def parse(self, args: Mapping[str, Any]) -> Callable[[Tree, Job], Tree]:
        def apply(tree: Tree, job: Job) -> Tree:
            names = job.files.files_in(job.output_path)
            return place(tree, job.root, job.folder, {args["name"]: {"files": len(names)}})

        return apply

    def sees(self, _tree: Tree, job: Job, _roots: Roots) -> object:
        return str(job.output_path)


def test_new_filter_is_one_module_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "commodore_py.cache")
    monkeypatch.setitem(FILTERS, "count", cast("Filter", _Count()))
    targets = FilteredInstances(tmp_path / "work")
    targets.filters = {
        "app": [{"type": "builtin", "path": "out", "filter": "count", "filterargs": {"name": "n"}}]
    }
    targets.compiled = {"app": {"out/one.yaml": "a: 1\n", "out/two.yaml": "a: 1\n"}}

    def outcomes() -> list[str]:
        caplog.clear()
        cached = targets.run(result_cache=tmp_path / "store")
        assert cached == targets.run()
        assert cached[0]["app"]["out/n.yaml"] == f"files: {len(targets.compiled['app'])}\n"
        return [line.split(": ")[2] for line in caplog.messages if "filter count" in line]

    assert outcomes() == ["compiled"]
    assert outcomes() == ["taken from the cache"]

    targets.compiled["app"]["out/three.yaml"] = "a: 1\n"
    assert outcomes() == ["compiled"]
