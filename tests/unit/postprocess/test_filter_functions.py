"""Every native and every function of the library, called by a filter."""

from __future__ import annotations

import itertools
import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters import yaml
from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.adapters.jsonnet.values import JsonnetError
from commodore_py.lib import FILTER_INVENTORY, LIBRARIES
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess.filters import FILTERS, Job, OwnNode
from tests.support.calls import FILTERING, failures, values
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES = FILTERING["natives"], FILTERING["library"], FILTERING["environment"]


def called(root: Path, expression: str, node: Mapping[str, Any] = FILTERING["node"]) -> object:
    """The value of an expression in a filter's file, as the filter writes it."""
    source = root / "filter.jsonnet"
    source.write_text(
        "local com = import 'lib/commodore.libjsonnet';\n"
        "local out = std.extVar('output_path'), scalars = out + '/../scalars';\n"
        f"{{ value: {{ is: {expression} }} }}\n"
    )
    files = itertools.chain(
        ((f"out/{name}", text) for name, text in FILTERING["files"].items()),
        ((f"scalars/{name}", text) for name, text in FILTERING["scalars"].items()),
    )
    tree = Tree({PurePosixPath(name): Entry(text.encode()) for name, text in files})
    job = Job(
        component="shop",
        root=root / "compiled" / "web",
        folder="out",
        source=source,
        files=Files(
            root / "compiled",
            root / "catalog",
            {"web": tree},
            (root, LIBRARIES, root / "vendor"),
        ),
        inventory=InventoryImports(OwnNode("web", node), FILTER_INVENTORY),
    )
    written = FILTERS["jsonnet"].parse({})(tree, job)
    return yaml.load(written[PurePosixPath("out/value.yaml")].content, name="")["is"]


@each(("expression", "expected"), values(*TABLES).items())
def test_call_gives_its_value(expression: str, expected: object, tmp_path: Path) -> None:
    # Numbers are doubles in Jsonnet.
    assert called(tmp_path, expression) == json.loads(json.dumps(expected), parse_int=float)


@each(("expression", "reason"), failures(*TABLES).items())
def test_failing_call_reports_reason(expression: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(JsonnetError, match=reason):
        called(tmp_path, expression)


def test_only_used_parameters_are_converted(tmp_path: Path) -> None:
    node = {"parameters": {"fine": {"a": 1}, "odd": float("inf")}}

    assert called(tmp_path, "com.inventory().parameters.fine", node) == {"a": 1}
    with pytest.raises(JsonnetError, match="not a finite number"):
        called(tmp_path, "com.inventory().parameters.odd", node)
    with pytest.raises(JsonnetError, match="not a finite number"):
        called(tmp_path, "std.native('commodore_inventory')().parameters.fine", node)
