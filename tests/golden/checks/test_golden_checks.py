"""Small catalogs, and what some `checks` find in each of them.

A catalog is a text of one file, `web/out.yaml`, or a mapping from files to texts; the first folder
of a path is an instance.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from commodore_py.checks.base import Settings
from commodore_py.checks.run import check_catalog, version_of
from commodore_py.checks.table import names
from commodore_py.model.tree import Entry, Tree
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_checks_match_case(case: GoldenCase, golden: Golden) -> None:
    settings = Settings(
        skip=tuple({*names()} - {*case.content["checks"]}),
        version=version_of(case.content.get("version")),
        known_namespaces=tuple(case.content.get("namespaces", ())),
    )

    found = {
        name: "".join(map(_shown, check_catalog(_trees(catalog), settings).problems))
        for name, catalog in case.content["catalogs"].items()
    }

    golden.check(case, expected=found)


def _trees(catalog: str | dict[str, str]) -> dict[str, Tree]:
    files = {"web/out.yaml": catalog} if isinstance(catalog, str) else catalog
    trees: dict[str, dict[PurePosixPath, Entry]] = defaultdict(dict)
    for path, text in files.items():
        instance, _, name = path.partition("/")
        trees[instance][PurePosixPath(name)] = Entry(text.encode())
    return {instance: Tree(entries) for instance, entries in trees.items()}


def _shown(problem: Problem) -> str:
    place = ", ".join(filter(None, (problem.place.object, problem.place.field)))
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    options = f" {list(problem.options)}" if problem.options else ""
    first = f"{problem.severity} {problem.code} {place}".rstrip()
    return f"{first}\n  {problem.message}{remedy}{options}\n"
