"""Cached results depend on all the code that makes them."""

from __future__ import annotations

from pathlib import Path

import grimp
import pytest

import commodore_py
from commodore_py.cache.program import _ROOMS
from commodore_py.checks.documents import ROOMS as OF_CHECKS
from tests.support.tables import each


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("commodore_py", exclude_type_checking_imports=True)


@each(
    ("made_by", "rooms"),
    [
        (("adapters", "compiler", "postprocess"), {*_ROOMS}),
        (("checks", "manifests"), {*_ROOMS, *OF_CHECKS}),
    ],
)
def test_digest_covers_all_packages_that_make_results(
    graph: grimp.ImportGraph, made_by: tuple[str, ...], rooms: set[str]
) -> None:
    modules = set[str]().union(*(graph.find_descendants(f"commodore_py.{x}") for x in made_by))
    imported = {
        name.split(".")[1]
        for module in modules
        for name in graph.find_modules_directly_imported_by(module)
        if "." in name
    }
    # Files beside the rooms belong to every digest.
    single_files = {file.stem for file in Path(commodore_py.__file__).parent.glob("*.py")}

    assert imported
    assert {*imported, *made_by} - single_files - rooms == set()
