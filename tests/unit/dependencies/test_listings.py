"""Folders in which the processes of a run share what remotes listed."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from commodore_py.dependencies.git.remotes import listed_once

if TYPE_CHECKING:
    from pathlib import Path


def test_listings_of_old_runs_are_removed_when_another_begins(tmp_path: Path) -> None:
    for name, age in (("recent", 3600), ("old", 90000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "listing").touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)

    with listed_once(tmp_path / "new"):
        left = [run.name for run in tmp_path.iterdir()]

    assert left == ["recent"]
