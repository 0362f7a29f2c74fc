"""State and reports that somebody else has written, or half of them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.serve.jobs import Job
from commodore_py.serve.state import State, intact

from .daemon import serving

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Playground

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

    assert [one.id for one in intact(state.jobs, Job.restored)] == ["a"]
    assert len(caplog.records) == 3


@pytest.mark.parametrize(
    "damaged",
    [
        1,
        {"conditions": [{"type": "Synced"}]},
        {"conditions": 1},
        {"failures": "many"},
        {"retry_at": []},
        {"wanted": 1},
    ],
)
def test_damaged_cluster_is_dropped_and_others_stay(tmp_path: Path, damaged: object) -> None:
    state = _state(tmp_path, clusters={"c-one": damaged, "c-two": {"failures": 2}})

    assert state.clusters == {"c-two": {"conditions": [], "failures": 2}}


def test_damaged_records_and_reports_count_as_none(playground: Playground) -> None:
    reports = playground.facts / "reports"
    (reports / "c-demo-1.json").write_text('{"global": {"gitSha": "abc"}, "lastCompile": "2099"}')
    (reports / "c-demo-2.json").write_text("[]")
    state = State(WorkPaths(playground.work)).file
    state.parent.mkdir(parents=True, exist_ok=True)
    clusters = {"c-demo-2": {"record": {"time": "9"}}}
    state.write_text(json.dumps({"schema": "serve-state/v1", "jobs": [], "clusters": clusters}))
    with serving(playground.work, playground.facts, "--reconcile", home=playground.home) as daemon:
        for _ in range(600):
            listed = daemon.get("/v1/clusters")["clusters"]
            reasons = {one["reason"] for about in listed for one in about["conditions"]}
            if reasons:
                break
            time.sleep(0.02)

    assert [about["up_to_date"] for about in listed] == [None, None]
    assert reasons == {"NeverPushed"}
