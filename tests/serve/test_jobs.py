"""Compiles and pushes in the queue, and their events."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import requests

from .daemon import TOKENS

if TYPE_CHECKING:
    from .daemon import Daemon

ONE = "/v1/clusters/c-demo-1"


def test_events_tell_the_stages_and_the_end(daemon: Daemon) -> None:
    job = daemon.call("POST", f"{ONE}/compile")

    events = _events(daemon, job.headers["location"])

    stages = [one["message"] for one in events if one["level"] == "stage"]
    assert [one for one in stages if one in ("gather", "render", "publish")] == [
        "gather",
        "render",
        "publish",
    ]
    assert events[-1]["job"]["state"] == "done"


def test_events_continue_after_the_last_one_that_was_seen(daemon: Daemon) -> None:
    job = daemon.call("POST", f"{ONE}/compile")
    every = _events(daemon, job.headers["location"])

    rest = _events(daemon, job.headers["location"], after=len(every) - 3)

    assert rest == every[-3:]


def test_directory_is_compiled_once_at_a_time_and_equal_requests_are_one(daemon: Daemon) -> None:
    started = [daemon.call("POST", f"{ONE}/compile") for _ in range(10)]

    jobs = {one.headers["location"] for one in started}
    done = [daemon.done(one) for one in started]

    assert len(jobs) <= 3
    assert {one["state"] for one in done} == {"done"}
    times = sorted((one["started"], one["ended"]) for one in {o["id"]: o for o in done}.values())
    assert all(end <= begin for (_, end), (begin, _) in pairwise(times))


def test_full_queue_is_a_429(daemon: Daemon) -> None:
    def edit(number: int) -> int:
        path = f"{ONE}/values/web_shop.replicas?target=no-such-instance"
        return daemon.call("PUT", path, {"value": number}).status_code

    with ThreadPoolExecutor(60) as pool:
        statuses = list(pool.map(edit, range(60)))

    assert set(statuses) == {404, 429}


def test_cancelled_job_ends_and_the_next_one_runs(daemon: Daemon) -> None:
    job = daemon.call("POST", f"{ONE}/compile")

    daemon.call("DELETE", job.headers["location"])

    assert daemon.done(job)["state"] in ("cancelled", "done")
    assert daemon.done(daemon.call("POST", f"{ONE}/compile"))["state"] == "done"


def test_cluster_is_up_to_date_until_a_repository_moves(daemon: Daemon) -> None:
    assert daemon.done(daemon.call("POST", f"{ONE}/push"))["state"] == "done"
    before = _until_known(daemon)

    path = f"{ONE}/values/web_shop.settings?level=tenant"
    assert daemon.call("PUT", path, {"value": {"NOTE": "moved"}}).status_code == 200

    after = _until_known(daemon)
    assert (before["up_to_date"], after["up_to_date"]) == (True, False)
    assert [one["input"] for one in after["moved"]] == ["tenant"]


def _until_known(daemon: Daemon) -> Any:  # noqa: ANN401 - JSON
    for _ in range(100):
        found = daemon.get(ONE)
        if found["up_to_date"] is not None:
            return found
    raise AssertionError("remotes are not read")


def _events(daemon: Daemon, job: str, after: int = 0) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {TOKENS['ada']}"}
    headers |= {"Last-Event-ID": str(after)} if after else {}
    answer = requests.get(f"{daemon.url}{job}/events", headers=headers, timeout=60)
    lines = [one.removeprefix("data: ") for one in answer.text.splitlines() if one[:5] == "data:"]
    return [json.loads(one) for one in lines]


def test_clients_that_leave_do_not_disturb_events(daemon: Daemon) -> None:
    job = daemon.call("POST", f"{ONE}/compile")
    url = f"{daemon.url}{job.headers['location']}/events"
    headers = {"Authorization": f"Bearer {TOKENS['ada']}"}

    for _ in range(20):
        requests.get(url, headers=headers, stream=True, timeout=10).close()

    assert _events(daemon, job.headers["location"])[-1]["job"]["state"] == "done"
