"""Jsonnet expressions, evaluated as a component would be: while compiling, or in a filter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import pytest
import yaml

from commodore_py.adapters.jsonnet import Json, Native, ReadImport, evaluate, read_import
from commodore_py.adapters.overlay import Overlay
from commodore_py.lib import LIBRARIES
from commodore_py.postprocess.documents import Documents
from commodore_py.postprocess.lazy_node import read_node
from commodore_py.postprocess.natives import natives

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


def _kapitan() -> Path:
    # Found, not imported: its library is one file, its package is many.
    spec = find_spec("kapitan")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _node(parameters: Mapping[str, Json]) -> dict[str, Json]:
    return {"applications": [], "classes": [], "exports": {}, "parameters": dict(parameters)}


def _compile_natives(given: Mapping[str, Json]) -> dict[str, Native]:
    targets = {"example": _node(given), "other": _node({"name": "other"})}

    def inventory(target: str | None, _inv_path: None) -> object:
        return targets if target is None else targets[target]

    def yaml_load(name: str) -> str:
        return json.dumps(yaml.safe_load(Path(name).read_text()))

    return {
        "inventory": Native(("target", "inv_path"), inventory),
        "yaml_load": Native(("name",), yaml_load),
    }


@pytest.fixture
def compiling(tmp_path: Path) -> Evaluate:
    """Evaluate as Kapitan does, with its natives and its own library."""

    def run(expression: str, *, given: Mapping[str, Json] | None = None) -> Json:
        return _evaluate(
            tmp_path, expression, (_kapitan(), LIBRARIES), _compile_natives(given or {})
        )

    return run


@pytest.fixture
def filtering(tmp_path: Path) -> Evaluate:
    """Evaluate as a postprocessing filter does, with the natives of filters."""

    def run(expression: str, *, given: Mapping[str, Json] | None = None) -> Json:
        node = {**_node(given or {}), "environment": "base"}
        overlay = Overlay(tmp_path / "compiled", tmp_path / "catalog", {})
        return _evaluate(
            tmp_path,
            expression,
            (LIBRARIES,),
            natives(overlay, node, Documents()),
            lambda path: read_node(path, node) or overlay.read(path),
        )

    return run


@pytest.fixture
def bare(tmp_path: Path) -> Evaluate:
    """Evaluate where nobody offers natives, nor Kapitan's library."""

    def run(expression: str) -> Json:
        return _evaluate(tmp_path, expression, (LIBRARIES,), {})

    return run


@pytest.fixture(params=["compiling", "filtering"])
def anywhere(request: pytest.FixtureRequest) -> Evaluate:
    """Either of the two: what holds in both places is tested in both."""
    chosen: Evaluate = request.getfixturevalue(request.param)
    return chosen


def _evaluate(
    folder: Path,
    expression: str,
    import_folders: tuple[Path, ...],
    natives: dict[str, Native],
    read: ReadImport = read_import,
) -> Json:
    file = folder / "case.jsonnet"
    file.write_text(f"{PREAMBLE}{expression}\n")
    text = evaluate(
        file,
        import_folders=import_folders,
        ext_vars={"target": "example"},
        natives=natives,
        read=read,
    )
    value: Json = json.loads(text)
    return value
