"""Jsonnet expressions of component code, their `values`, and messages of those that are `refused`.

Each is evaluated in all `places` of its case: while a component compiles, in a filter, or `bare`,
without natives and without Kapitan's library. Expressions see `com`, `kube` and a few others;
`{dir}` is the folder of the case's `files`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.adapters.jsonnet.values import JsonnetError
from commodore_py.compiler.inputs.jsonnet import evaluate_file
from commodore_py.lib import FILTER_INVENTORY, KAPITAN_INVENTORY, LIBRARIES
from commodore_py.postprocess.filters import OwnNode
from commodore_py.postprocess.filters.jsonnet import natives
from tests.support.builders import TargetsByName
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

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


@pytest.mark.parametrize(
    ("case", "place"),
    [
        pytest.param(case, place, id=f"{case.name}-{place}")
        for case in golden_cases(Path(__file__).parent)
        for place in case.content.get("places", ["compiling", "filtering"])
    ],
)
def test_expressions_have_the_values_of_the_case(
    case: GoldenCase, place: str, golden: Golden, tmp_path: Path
) -> None:
    case.write_files(tmp_path)
    values, refused = case.content.get("values", {}), case.content.get("refused", {})

    made = evaluated(case, place, tmp_path, f"[{', '.join(f'({text})' for text in values)}]")
    if values:
        golden.check(case, values=dict(zip(values, made, strict=True)))

    for expression, message in refused.items():
        with pytest.raises(JsonnetError) as caught:
            evaluated(case, place, tmp_path, expression)
        assert message in str(caught.value), expression
        assert "case.jsonnet" in caught.value.where


def evaluated(case: GoldenCase, place: str, folder: Path, expression: str) -> Any:  # noqa: ANN401
    """The value of an expression in one of the places."""
    file = folder / "case.jsonnet"
    file.write_text(PREAMBLE + expression.replace("{dir}", str(folder)))
    files = Files(folder / "compiled", folder / "catalog", {}, (folder, LIBRARIES))
    node = {
        "applications": [],
        "classes": [],
        "exports": {},
        "parameters": case.content.get("parameters", {}),
    }
    if place == "bare":
        return json.loads(
            evaluate(file, files.read(file), read=files.read, import_folders=(LIBRARIES,))
        )
    if place == "compiling":
        targets = TargetsByName({"example": node, "other": {**node, "parameters": {"name": "o"}}})
        inventory = InventoryImports(targets, KAPITAN_INVENTORY)
        return json.loads(evaluate_file(file, files, inventory, target="example"))
    filtered = {**node, "environment": "base"}
    imports = InventoryImports(OwnNode("example", filtered), FILTER_INVENTORY)
    text = evaluate(
        file,
        files.read(file),
        import_folders=(LIBRARIES,),
        ext_vars={"target": "example"},
        natives=natives(files, lambda: filtered),
        read=lambda path: imports.read(path, "example") or files.read(path),
    )
    return json.loads(text)
