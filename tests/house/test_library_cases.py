"""Whatever component code can call has a case that shows what it gives, and a line in the docs."""

from __future__ import annotations

import ast
import functools
import json
import re
from pathlib import Path

import pytest

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.compiler.inventory.imports import InventoryImports
from commodore_py.compiler.natives import Memo, natives
from commodore_py.compiler.natives.files import Lookup
from commodore_py.lib import KAPITAN_LIBRARIES, LIBRARIES
from tests.support.builders import TargetsByName
from tests.support.native_calls import LIBRARY, NATIVES, OURS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "libraries.md"
CASES = ROOT / "tests" / "unit" / "lib"
NOWHERE = Path("/made/up")

# The fixture of a test that evaluates as while compiling, alone or in both contexts.
WHILE_COMPILING = {"anywhere", "compiling"}


def fields_of(library: str, folder: Path) -> list[str]:
    file = folder / "fields.jsonnet"
    file.write_text(f"std.objectFieldsAll(import '{library}')")
    folders = (KAPITAN_LIBRARIES, LIBRARIES)
    names: list[str] = json.loads(evaluate(file, import_folders=folders))
    return names


@functools.lru_cache
def cases_while_compiling() -> str:
    """Every text in a test that evaluates as components are compiled."""
    texts: list[str] = []
    for file in sorted(CASES.glob("test_*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and WHILE_COMPILING & {
                argument.arg for argument in node.args.args
            }:
                texts += [
                    constant.value
                    for constant in ast.walk(node)
                    if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
                ]
    return "\n".join(texts)


def test_every_native_is_called_in_a_case() -> None:
    lookup = Lookup((), Overlay(NOWHERE, NOWHERE, {}))
    offered = natives(lookup, InventoryImports(TargetsByName({})), Memo(), target="")

    tables = NATIVES | OURS

    assert sorted(tables) == sorted(offered)
    assert all(any(f"native('{name}')" in call for call in calls) for name, calls in tables.items())


def test_every_field_of_kapitans_library_is_called_in_a_case(tmp_path: Path) -> None:
    assert sorted(LIBRARY) == fields_of("lib/kapitan.libjsonnet", tmp_path)
    assert all(any(f"kap.{name}(" in call for call in calls) for name, calls in LIBRARY.items())


@pytest.mark.parametrize(
    ("library", "names"),
    [
        ("lib/commodore.libjsonnet", ("com",)),
        ("lib/kube.libjsonnet", ("kube", "original")),
        ("lib/kube-libsonnet/kube.libsonnet", ("kube", "original")),
    ],
)
def test_every_field_of_a_library_is_used_in_a_case(
    library: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    cases = cases_while_compiling()
    prefix = rf"\b(?:{'|'.join(names)})\."

    fields = fields_of(library, tmp_path)

    assert [name for name in fields if not re.search(rf"{prefix}{name}\b", cases)] == []


@pytest.mark.parametrize("name", sorted({*LIBRARY, *NATIVES, *OURS}))
def test_the_reference_lists_every_name(name: str) -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]

    assert any(f"`{name}`" in row or f"`{name}(" in row for row in rows)
