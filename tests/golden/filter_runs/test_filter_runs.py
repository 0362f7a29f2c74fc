"""Runs of filters: the files that instances have afterwards, notices, or errors.

Of a case, `filters` and `compiled` are by instance; `files` lie in the working directory. What the
file has as `given` counts for all its cases. Definitions stand on lines of a made-up file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError, notes_of
from tests.support.builders import errors_in
from tests.support.golden import golden_cases
from tests.support.scenarios.filters import FilteredInstances

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_filters_run_as_the_case_expects(case: GoldenCase, golden: Golden, tmp_path: Path) -> None:
    given = case.content.get("given", {})

    found = {
        name: filtered(tmp_path / str(number), **{**given, **content})
        for number, (name, content) in enumerate(case.content["cases"].items())
    }

    golden.check_key(case, "expected", found)  # type: ignore[arg-type] # texts in mappings


def filtered(
    root: Path,
    files: dict[str, str],
    **instances: Any,  # noqa: ANN401 - as a case has it
) -> dict[str, str]:
    """Files of all instances with `notices`, or `errors`; paths are relative."""
    working_directory = FilteredInstances(root, **instances)
    for name, text in files.items():
        working_directory.write(name, text)
    try:
        trees, notices = working_directory.run()
    except CommodoreError as error:
        texts = {
            "errors": "".join(
                indented(str(one), one.where, *notes_of(one), one.hint) for one in errors_in(error)
            )
        }
    else:
        texts = {
            f"{name}/{path}": text for name, tree in trees.items() for path, text in tree.items()
        }
        if notices:
            texts["notices"] = "".join(
                indented(one.message, one.where, "" if one.strict else "no error with --strict")
                for one in notices
            )
    return {name: text.replace(str(root), "<root>") for name, text in texts.items()}


def indented(*lines: str) -> str:
    """The first line, and others below it."""
    return "\n  ".join(line for part in lines for line in part.splitlines()) + "\n"
