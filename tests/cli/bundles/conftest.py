"""A small hierarchy whose global configuration has bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.bundles import Place, make_place

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def place(tmp_path: Path, commodore: CommandLine) -> Place:
    """Two components, and a bundle that the global configuration includes."""
    return make_place(tmp_path / "place", commodore)
