"""Kapitan's own natives, library and import search, on the same files."""

from __future__ import annotations

import ctypes
import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import _gojsonnet
import yaml
from kapitan import cached, resources
from kapitan.topics import current_target

from tests.support.jsonnet_component import PREAMBLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

TARGET = "web"


class KapitanFails(Exception):
    """An evaluation that Kapitan refuses."""


def write_inventory(folder: Path, targets: Mapping[str, Mapping[str, Any]]) -> None:
    """Targets as files that Kapitan reads."""
    for name, view in targets.items():
        file = folder / "targets" / f"{name}.yml"
        file.parent.mkdir(parents=True, exist_ok=True)
        node = {key: view[key] for key in ("applications", "parameters")}
        file.write_text(yaml.safe_dump(node))
    (folder / "classes").mkdir()


def load_inventory(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Have Kapitan read its inventory: what it shows of every target."""
    cached.reset_cache()
    cached.args = Namespace(inventory_path=str(folder), inventory_backend="reclass-rs")
    targets: Mapping[str, Mapping[str, Any]] = resources.get_inventory(str(folder)).inventory
    return targets


def evaluate(file: Path, search_paths: tuple[Path, ...]) -> object:
    """The value of a file, evaluated as Kapitan's input type does it."""
    paths = [str(path) for path in search_paths]
    token = current_target.set(TARGET)
    # Kapitan keeps imported texts for good.
    resources.JSONNET_CACHE.clear()
    try:
        text = _gojsonnet.evaluate_file(
            str(file),
            import_callback=lambda folder, name: resources.search_imports(folder, name, paths),
            native_callbacks={
                name: (parameters, _own_nulls(call))
                for name, (parameters, call) in resources.resource_callbacks(paths).items()
            },
            ext_vars={"target": TARGET},
        )
    except (RuntimeError, UnicodeDecodeError) as error:
        raise KapitanFails(str(error)) from error
    finally:
        current_target.reset(token)
    return json.loads(text)


def evaluate_expression(expression: str, folder: Path, search_paths: tuple[Path, ...]) -> object:
    """The value of an expression, which sees what ours sees."""
    file = folder / "kapitan.jsonnet"
    file.write_text(f"{PREAMBLE}{expression}\n")
    return evaluate(file, search_paths)


def native(name: str, *paths: Path) -> Callable[..., Any]:
    """One of Kapitan's functions, to be called directly."""
    call: Callable[..., Any] = resources.resource_callbacks([str(path) for path in paths])[name][1]
    return call


def _own_nulls(call: Callable[..., Any]) -> Callable[..., Any]:
    # gojsonnet gives back a reference that it never took; see adapters/jsonnet.py.
    def wrapped(*arguments: object) -> Any:  # noqa: ANN401 - what Kapitan returns
        for argument in arguments:
            if argument is None:
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))
        return call(*arguments)

    return wrapped
