"""Many clients that edit one value: none of their updates is lost."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.support.builders import git

if TYPE_CHECKING:
    from .conftest import Playground
    from .daemon import Daemon

VALUE = "/v1/clusters/c-demo-1/values/web_shop.replicas"


def test_clients_that_edit_one_value_lose_no_update(daemon: Daemon, playground: Playground) -> None:
    edits: list[tuple[int, int, str]] = []
    statuses: set[int] = set()
    end = time.monotonic() + 60

    def client(number: int) -> None:
        for new in range(number, 10_000, 10):
            if len(edits) >= 5 or time.monotonic() > end:
                return
            read = daemon.call("GET", VALUE)
            base = {"If-Match": read.headers["etag"]}
            answer = daemon.call("PUT", VALUE, {"value": new}, headers=base)
            statuses.add(answer.status_code)
            if answer.status_code == 200 and answer.json()["commit"]:
                edits.append((read.json()["value"], new, answer.json()["commit"]))

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(client, range(10, 20)))

    log = git(playground.folder / "repos" / "t-demo.git", "log", "--format=%H").splitlines()
    edits.sort(key=lambda one: -log.index(one[2]))
    assert statuses <= {200, 409, 429}
    assert len(edits) > 1
    assert [new for _, new, _ in edits[:-1]] == [old for old, _, _ in edits[1:]]
