"""What a run that was killed left behind goes; what was there before it stays."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.git import first_checkout
from commodore_py.adapters.git.layout import SWITCH
from commodore_py.dependencies.protection.run_lock import exclusive_run
from tests.support.builders import commit_to, git
from tests.support.scenarios.dependencies import Workspace, component, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


class _Killed(BaseException):
    """The end of a process, at some step."""


@contextmanager
def _killed_at(step: int) -> Iterator[list[str]]:
    """End the run before a step of a first checkout, half of a file being written already."""
    steps: list[str] = []
    kept = [(first_checkout._Written, name) for name in ("folder", "file", "link")]  # noqa: SLF001 - its steps

    def at_step(name: str, step_of: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any) -> Any:  # noqa: ANN401 - whatever it is called with
            steps.append(name)
            if len(steps) <= step:
                return step_of(*arguments)
            if name == "file":
                written, path, content, *mode = arguments
                step_of(written, path, content[: len(content) // 2], *mode)
            if name == "replace":
                Path(f"{arguments[0]}.lock").write_text("half")
            raise _Killed

        return take

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in [*kept, (first_checkout, "replace"), (Path, "unlink")]:
            patch.setattr(owner, name, at_step(name, getattr(owner, name)))
        yield steps


@pytest.mark.parametrize("version", ["master", "v1"])
def test_a_first_checkout_that_was_killed_at_any_step_is_made_again(
    tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    step, done = 0, False
    while not done:
        workspace = Workspace(tmp_path / str(step))
        foo = workspace.repository("foo")
        tag(foo, "v1")
        with _killed_at(step) as steps:
            try:
                workspace.fetch(component(foo, version))
                done = True
            except _Killed:
                pass
        marker = workspace.config.paths.state / "running"
        marker.write_text(json.dumps({"pid": 1, "began": time.time() - 60, "ended": None}))

        with exclusive_run(workspace.config.paths):
            workspace.fetch(component(foo, version))

        assert git(workspace.place("foo"), "status", "--porcelain", "--ignored") == ""
        assert not list(tmp_path.rglob("*.lock"))
        assert not list(tmp_path.rglob(".put-aside"))
        assert len(list((workspace.bare(foo) / "worktrees").iterdir())) == 1
        step += 1
    assert step > 5, steps
