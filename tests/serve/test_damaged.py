"""State and reports that somebody else has written, or half of them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.serve.state import State

from .daemon import serving

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Playground


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        {"version": 2},
        {"jobs": {"a": {"kind": "push", "cluster": "c-one", "by": "ada", "state": "lost"}}},
        {"clusters": {"c-one": {"conditions": [{"type": "Synced"}]}}},
        {"clusters": {"c-one": {"failures": "many"}}},
        {"clusters": {"c-one": {"record": {"time": "9"}}}},
    ],
)
def test_damaged_state_is_dropped_with_a_warning(
    tmp_path: Path, content: object, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / ".commodore" / "serve" / "state.json"
    file.parent.mkdir(parents=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))

    assert State.read(WorkPaths(tmp_path)) == State()
    assert len(caplog.records) == 1


def test_damaged_reports_count_as_none(playground: Playground) -> None:
    reports = playground.facts / "reports"
    (reports / "c-demo-1.json").write_text('{"global": {"gitSha": "abc"}, "lastCompile": "2099"}')
    (reports / "c-demo-2.json").write_text("[]")
    with serving(playground.work, playground.facts, "--reconcile", home=playground.home) as daemon:
        for _ in range(600):
            listed = daemon.get("/v1/clusters")["clusters"]
            reasons = {one["reason"] for about in listed for one in about["conditions"]}
            if reasons:
                break
            time.sleep(0.02)

    assert [about["up_to_date"] for about in listed] == [None, None]
    assert reasons == {"NeverPushed"}
