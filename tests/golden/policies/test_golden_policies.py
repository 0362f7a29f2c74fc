"""Policies in Rego with their data, the `objects` of an instance, and what is found in them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.checks.base import PolicySettings, Settings, Version
from commodore_py.checks.run import check_catalog
from commodore_py.checks.table import names
from commodore_py.model.tree import Entry, Tree
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)
OPA = os.environ.get("COMMODORE_OPA") or shutil.which("opa") or ""

pytestmark = pytest.mark.skipif(
    not OPA, reason="there is no opa in PATH: install it, or set COMMODORE_OPA to one"
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_policies_match_case(
    case: GoldenCase, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(OPA).parent}:{os.environ['PATH']}")
    policy = PolicySettings(
        case.write_files(tmp_path),
        "policies",
        about=case.content.get("about", {}),
        origins=case.content.get("origins", {}),
    )
    skip = tuple({*names()} - {"policy"})
    settings = Settings(skip=skip, version=Version(1, 34), policy=policy)
    content = yaml.safe_dump_all(case.content["objects"]).encode()

    found = check_catalog({"web": Tree({PurePosixPath("out.yaml"): Entry(content)})}, settings)

    golden.check(case, expected="".join(sorted(map(_shown, found.problems))))


def _shown(problem: Problem) -> str:
    place = ", ".join(filter(None, (problem.place.object, problem.place.field)))
    remedy = f" ({problem.remedy})" if problem.remedy else ""
    first = f"{problem.severity} {problem.code} {problem.place.position}: {place}"
    return f"{first.rstrip(': ')}\n  {problem.message}{remedy}\n"
