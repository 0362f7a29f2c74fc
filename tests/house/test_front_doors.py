"""Names that packages import on demand."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import commodore_py

ROOT = Path(commodore_py.__file__).parent
DOORS = sorted(path for path in ROOT.rglob("__init__.py") if "on_demand(" in path.read_text())


@pytest.mark.parametrize("door", DOORS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_no_name_is_also_a_module_beside_it(door: Path) -> None:
    """Python puts a module that is imported into its package, over whatever has the name there."""
    package = importlib.import_module(".".join(door.parent.relative_to(ROOT.parent).parts))
    beside = {path.stem for path in door.parent.iterdir()}

    assert beside.isdisjoint(vars(package)["_PLACES"])


def test_there_are_doors() -> None:
    assert len(DOORS) > 3
