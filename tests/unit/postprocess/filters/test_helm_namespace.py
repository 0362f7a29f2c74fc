"""The builtin filter's arguments and the documents it cannot take; golden cases show the rest."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.errors import CommodoreError
from commodore_py.lib import FILTER_INVENTORY
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess.filters import Job, OwnNode, helm_namespace
from tests.support.tables import each

ROOT = Path("/made/up/compiled/app")
OUT = PurePosixPath("out")


def filtered(text: str | dict[str, str], **arguments: Any) -> dict[str, str]:  # noqa: ANN401 - as users write
    files = {"a.yaml": text} if isinstance(text, str) else text
    tree = Tree({OUT / name: Entry(content.encode()) for name, content in files.items()})
    job = Job(
        component="app",
        root=ROOT,
        folder="out",
        source=ROOT,
        files=Files(ROOT.parent, ROOT, {}),
        inventory=InventoryImports(OwnNode("app", {}), FILTER_INVENTORY),
    )
    result = helm_namespace.parse({"namespace": "ns", **arguments})(tree, job)
    return {path.name: entry.content.decode() for path, entry in result.items()}


@each(
    ("arguments", "message"),
    [
        ({}, "namespace is missing"),
        ({"namespace": 5}, "namespace is not a string"),
        ({"namespace": None}, "namespace is not a string"),
        ({"namespace": "x", "create_namespace": None}, "create_namespace"),
        ({"namespace": "x", "create_namespace": 1}, "create_namespace"),
        ({"namespace": "x", "exclude_objects": None}, "exclude_objects"),
        ({"namespace": "x", "exclude_objects": ["Secret"]}, "exclude_objects"),
        ({"namespace": "x", "exclude_objects": [{"name": "y"}]}, "exclude_objects"),
    ],
)
def test_invalid_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CommodoreError, match=message):
        helm_namespace.parse(arguments)


@each("text", ["a: 1\n", "kind: Secret\n", "kind: Secret\nmetadata: {}\n"])
def test_object_without_kind_or_name_is_not_excluded(text: str) -> None:
    result = filtered(text, exclude_objects=[{"kind": "Secret", "name": "x"}])

    assert "  namespace: ns\n" in result["a.yaml"]


def test_excluded_object_may_have_a_bar_in_its_name() -> None:
    text = "kind: Secret\nmetadata:\n  name: a|b\n"

    assert filtered(text, exclude_objects=[{"kind": "Secret", "name": "a|b"}]) == {"a.yaml": text}


def test_exclusion_without_name_excludes_nothing() -> None:
    text = "kind: Secret\nmetadata:\n  name: x\n"

    assert "namespace: ns" in filtered(text, exclude_objects=[{"kind": "Secret"}])["a.yaml"]


@each(
    ("text", "message", "line"),
    [
        ("- 1\n", "not a mapping", 1),
        ("a: 1\n---\nmetadata:\n", "not a mapping", 3),
        ("a: 1\n---\nb:\n  c: 2020-01-01\n", "is a date", 4),
        ("a: .inf\n", "not a finite number", 1),
        ("a:\n  b: [\n", "not valid YAML", 3),
    ],
)
def test_document_that_is_not_an_object_is_named_with_its_line(
    text: str, message: str, line: int
) -> None:
    with pytest.raises(CommodoreError, match=message) as caught:
        filtered(text)

    assert caught.value.where.startswith(f"{ROOT}/out/a.yaml:{line}")


def test_two_files_that_would_become_one_are_both_named() -> None:
    with pytest.raises(CommodoreError, match=r"both a.yaml and a.yml would become a\.yaml"):
        filtered({"a.yaml": "a: 1\n", "a.yml": "a: 1\n"})
