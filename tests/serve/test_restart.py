"""Daemons that start and stop: what the next one knows, and one at a time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from .daemon import serving

if TYPE_CHECKING:
    from .conftest import Playground

ONE = "/v1/clusters/c-demo-1"


def test_second_daemon_of_a_directory_is_refused(playground: Playground) -> None:
    words = ("-d", str(playground.work), "serve", "--port", "0", "--api-url", str(playground.facts))
    tokens = playground.home / "more-tokens"
    command = (sys.executable, "-m", "commodore_py", *words, "--token-file", str(tokens))
    with serving(playground.work, playground.facts, home=playground.home):
        second = subprocess.run(command, capture_output=True, text=True, check=False)

    assert second.returncode == 1
    assert "still uses this working directory, and serves it" in second.stderr
    assert not tokens.exists()


def test_failing_compile_has_all_reasons(playground: Playground) -> None:
    file = playground.facts / "clusters" / "c-broken.yaml"
    file.write_text("id: c-broken\ntenant: t-nowhere\n")
    try:
        with serving(playground.work, playground.facts, home=playground.home) as daemon:
            job = daemon.done(daemon.call("POST", "/v1/clusters/c-broken/compile"))
            value = daemon.call("GET", "/v1/clusters/c-broken/values/a")
    finally:
        file.unlink()

    assert job["state"] == "failed"
    assert "t-nowhere" in job["error"]["reasons"][0]["message"]
    assert value.status_code == 409


def test_restart_shows_what_was_interrupted(playground: Playground) -> None:
    with serving(playground.work, playground.facts, home=playground.home) as daemon:
        job = daemon.call("POST", f"{ONE}/compile").json()
        daemon.stop(signal.SIGKILL)

    with serving(playground.work, playground.facts, home=playground.home) as daemon:
        again = daemon.get(f"/v1/jobs/{job['id']}")
        assert daemon.done(daemon.call("POST", f"{ONE}/compile"))["state"] == "done"
        assert daemon.stop() == 0

    assert again["state"] in ("interrupted", "done")


def test_stop_lets_a_job_end(playground: Playground) -> None:
    with serving(playground.work, playground.facts, home=playground.home) as daemon:
        job = daemon.call("POST", f"{ONE}/compile").json()
        assert daemon.stop() == 0

    state = json.loads((playground.work / ".commodore" / "serve" / "state.json").read_text())
    assert state["jobs"][job["id"]]["state"] == "done"


def test_stop_ends_reads_that_nobody_waits_for(playground: Playground) -> None:
    with serving(playground.work, playground.facts, home=playground.home) as daemon:
        daemon.get(ONE)
        daemon.call("POST", f"{ONE}/compile")

        assert daemon.stop() == 0


def test_damaged_state_is_ignored(playground: Playground) -> None:
    file = playground.work / ".commodore" / "serve" / "state.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for damaged in ("{", "[]", '{"schema": "serve-state/v1", "jobs": [1], "clusters": {}}'):
        file.write_text(damaged)
        with serving(playground.work, playground.facts, home=playground.home) as daemon:
            assert daemon.get("/v1/jobs")["jobs"] == []
