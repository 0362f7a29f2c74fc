"""What a run that was killed left behind goes; what was there before it stays."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.protection.run_lock import exclusive_run
from tests.support.builders import commit_to
from tests.support.scenarios.dependencies import Workspace, component

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["packed-refs.lock", "packed-refs.new", "config.lock"])
@pytest.mark.parametrize(("age", "stays"), [(0.0, False), (3600.0, True)])
def test_files_in_the_way_of_git_go_if_they_are_of_the_killed_run(
    tmp_path: Path, name: str, age: float, *, stays: bool
) -> None:
    workspace = Workspace(tmp_path)
    foo = workspace.repository("foo")
    workspace.fetch(component(foo))
    left = workspace.bare(foo) / name
    left.touch()
    os.utime(left, (time.time() - age, time.time() - age))
    marker = workspace.config.paths.state / "running"
    marker.write_text(json.dumps({"pid": 1, "began": time.time() - 60, "ended": None}))

    with exclusive_run(workspace.config.paths):
        assert left.exists() is stays
    if not stays:
        commit_to(foo, {"new.txt": "new"})
        workspace.fetch(component(foo))
