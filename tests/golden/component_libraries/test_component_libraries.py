"""Components with their libraries, and what is linked of them, reported, or refused.

`listed` are components that are not deployed; `metadata` is what parameters say of components.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.jsonnet.libraries import link_libraries
from commodore_py.errors import CommodoreError
from tests.support.builders import errors_in, make_dependency
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_libraries_are_linked_as_the_case_expects(
    case: GoldenCase, golden: Golden, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    found = {}
    for number, (name, content) in enumerate(case.content["cases"].items()):
        caplog.clear()
        lines = linked(tmp_path / str(number), **content)
        found[name] = "".join(f"{line}\n" for line in [*lines, *caplog.messages])

    golden.check(case, expected=found)


def linked(
    root: Path,
    components: dict[str, list[str]],
    listed: tuple[str, ...] = (),
    metadata: dict[str, Any] | None = None,
) -> list[str]:
    """Links, or errors; then, nothing is linked."""
    dependencies = []
    for component, names in components.items():
        folder = root / "dependencies" / component / "lib"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).mkdir() if name.endswith("-dir") else (folder / name).touch()
        dependencies.append(make_dependency(component, folder.parent))
    parameters: dict[str, Any] = {
        "components": {name: {"url": "x"} for name in {*listed, *components}},
        **{key: {"_metadata": value} for key, value in (metadata or {}).items()},
    }
    lib = root / "dependencies/lib"
    try:
        link_libraries(lib, dependencies, parameters, keep_others=False)
    except CommodoreError as error:
        assert not lib.exists()
        return [f"error: {one} ({one.where}; {one.hint})" for one in errors_in(error)]
    return [f"{path.name} -> {path.readlink()}" for path in sorted(lib.iterdir())]
