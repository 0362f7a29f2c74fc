"""Hierarchies that cannot be resolved, and what is reported about each: place, hint and notes.

Each of `targets` lists classes; without any, the target `app` lists `main`. With `early`, the
defaults of components are not known yet; with `missing ok`, missing classes are ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, notes_of
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import TargetsFailed, render_targets
from commodore_py.inventory.explain.diagnostics import Context, diagnose
from commodore_py.inventory.explain.hierarchy import Hierarchy
from commodore_py.inventory.explain.places import shown
from tests.support.builders import errors_in
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_report_matches_case(case: GoldenCase, golden: Golden, tmp_path: Path) -> None:
    case.write_files(tmp_path)
    contents = {
        name: {"classes": classes, "parameters": {}}
        for name, classes in case.content.get("targets", {"app": ["main"]}).items()
    }
    context = Context(
        early=case.content.get("early", False),
        missing_ok=case.content.get("missing ok", False),
        origins=case.content.get("origins", {}),
    )
    classes = ClassFiles([("", tmp_path)])
    with pytest.raises(TargetsFailed) as caught:
        render_targets(
            classes, contents, dict.fromkeys(contents, ""), missing_ok=context.missing_ok
        )
    hierarchy = Hierarchy(
        classes,
        {name: yaml.dump(target) for name, target in contents.items()},
        shown=lambda file: shown(file, tmp_path.resolve()),
    )

    errors = errors_in(diagnose(caught.value, hierarchy, context))

    golden.check(case, expected="".join(map(_written, errors)))


def _written(error: CommodoreError) -> str:
    lines = [str(error), *error.where.splitlines()]
    lines += [f"hint: {error.hint}"] if error.hint else []
    return "\n  ".join([*lines, *notes_of(error)]) + "\n"
