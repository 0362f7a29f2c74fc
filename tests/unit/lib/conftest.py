"""Jsonnet expressions, evaluated as a component would be: while compiling, or in a filter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import pytest

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.jsonnet.evaluate import Json, evaluate
from commodore_py.compiler.evaluation import Evaluation
from commodore_py.compiler.inventory.imports import InventoryImports
from commodore_py.compiler.natives import Memo
from commodore_py.compiler.natives.files import Lookup
from commodore_py.lib import LIBRARIES
from commodore_py.postprocess.jsonnet_environment import natives, read_node
from tests.support.builders import TargetsByName

if TYPE_CHECKING:
    from pathlib import Path

Evaluate: TypeAlias = Callable[..., Json]
"""An expression (it sees `com` and `kube`) to its value; `given` are the target's parameters."""

PREAMBLE = """
local com = import 'lib/commodore.libjsonnet';
local kube = import 'lib/kube.libjsonnet';
local original = import 'lib/kube-libsonnet/kube.libsonnet';
local container = kube.Container('c') {
  image: 'i',
  ports_: { http: { containerPort: 8080 } },
};
local runs = { spec+: { template+: { spec+: { containers_: { c: container } } } } };
local deployment = kube.Deployment('d') + runs;
"""


def _node(parameters: Mapping[str, Json]) -> dict[str, Json]:
    return {"applications": [], "classes": [], "exports": {}, "parameters": dict(parameters)}


@pytest.fixture
def compiling(tmp_path: Path) -> Evaluate:
    """Evaluate as a component is compiled, with Kapitan's natives and its library."""
    files = Overlay(tmp_path / "compiled", tmp_path / "catalog", {})

    def run(expression: str, *, given: Mapping[str, Json] | None = None) -> Json:
        targets = TargetsByName({"example": _node(given or {}), "other": _node({"name": "other"})})
        evaluation = Evaluation("example", InventoryImports(targets), Memo())
        lookup = Lookup((tmp_path, LIBRARIES), files)
        return _value(evaluation.run(_file(tmp_path, expression), lookup))

    return run


@pytest.fixture
def filtering(tmp_path: Path) -> Evaluate:
    """Evaluate as a postprocessing filter does."""
    files = Overlay(tmp_path / "compiled", tmp_path / "catalog", {})

    def run(expression: str, *, given: Mapping[str, Json] | None = None) -> Json:
        node = {**_node(given or {}), "environment": "base"}
        text = evaluate(
            _file(tmp_path, expression),
            import_folders=(LIBRARIES,),
            ext_vars={"target": "example"},
            natives=natives(files, node),
            read=lambda path: read_node(path, node) or files.read(path),
        )
        return _value(text)

    return run


@pytest.fixture
def bare(tmp_path: Path) -> Evaluate:
    """Evaluate without natives and without Kapitan's library."""

    def run(expression: str) -> Json:
        return _value(evaluate(_file(tmp_path, expression), import_folders=(LIBRARIES,)))

    return run


@pytest.fixture(params=["compiling", "filtering"])
def anywhere(request: pytest.FixtureRequest) -> Evaluate:
    """Either of the two: what holds in both places is tested in both."""
    chosen: Evaluate = request.getfixturevalue(request.param)
    return chosen


def _file(folder: Path, expression: str) -> Path:
    file = folder / "case.jsonnet"
    file.write_text(f"{PREAMBLE}{expression}\n")
    return file


def _value(text: str) -> Json:
    value: Json = json.loads(text)
    return value
