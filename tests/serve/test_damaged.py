"""State and reports that somebody else has written, or half of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.serve.state import State

if TYPE_CHECKING:
    from pathlib import Path

JOB = {
    "id": "a",
    "kind": "push",
    "cluster": "c-one",
    "by": "ada",
    "state": "done",
    "created": 1,
    "started": 1,
    "ended": 2,
}


def _state(tmp_path: Path, **content: object) -> State:
    paths = WorkPaths(tmp_path)
    file = State(paths).file
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"schema": "serve-state/v1", "jobs": [], "clusters": {}, **content}))
    return State.read(paths)


@pytest.mark.parametrize(
    "damage",
    [{"state": None}, {"created": "now"}, {"ended": "then"}, {"result": 5}, {"error": "no"}],
)
def test_damaged_job_is_dropped_and_others_stay(
    tmp_path: Path, damage: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    state = _state(tmp_path, jobs=[{"id": "x"}, 1, {**JOB, "id": "b", **damage}, JOB])

    assert [one["id"] for one in state.jobs] == ["a"]
    assert len(caplog.records) == 3
