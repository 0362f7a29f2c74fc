"""Working directories that many of these tests begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.scenarios.dependencies import Workspace
from tests.support.scenarios.downloads import Downloads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A working directory, and repositories to fetch from."""
    return Workspace(tmp_path)


@pytest.fixture
def downloads(tmp_path: Path) -> Downloads:
    """A component's checkout, and what is downloaded into it."""
    return Downloads(tmp_path)
