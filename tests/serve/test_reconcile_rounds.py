"""When the reconciler looks at remotes, and when it tries again."""

from __future__ import annotations

import asyncio
import json
import time
from types import SimpleNamespace
from typing import Any

import pytest

from commodore_py.serve.clusters import Clusters
from commodore_py.serve.jobs import Job
from commodore_py.serve.reconcile import Reconciler

SECRET = "a-secret-that-only-the-code-host-has"
URL = "https://git.example.com/global.git"
RECORD = {"inputs": {"global": {"url": URL, "version": "main", "gitSha": "a"}}, "time": ""}


def test_webhook_while_remotes_are_read_has_them_read_again() -> None:
    async def run() -> None:
        reading, go_on, again = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def heads() -> None:
            if reading.is_set():
                again.set()
            reading.set()
            await go_on.wait()

        reconciler = _reconciler(heads)
        task = asyncio.create_task(reconciler.run())
        await reading.wait()
        body = json.dumps({"repository": {"clone_url": URL}}).encode()
        assert await reconciler.hook({"x-gitlab-token": SECRET}, body) == ["c-one"]
        go_on.set()
        await asyncio.wait_for(again.wait(), 5)
        task.cancel()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("state", "failures", "pause"),
    [("failed", 0, 15), ("failed", 2, 60), ("failed", 5000, 3600), ("cancelled", 0, 3600)],
)
def test_push_that_is_not_done_is_tried_again_after_a_pause(
    state: str, failures: int, pause: int
) -> None:
    about = {"failures": failures}
    reconciler = _reconciler(None, {"c-one": about})

    asyncio.run(reconciler.ended(Job("a", "push", "c-one", "reconcile", state)))

    assert pause - 5 < about["retry_at"] - time.time() <= pause


def test_daemon_that_does_not_reconcile_tells_nothing_about_it() -> None:
    conditions = [{"type": "Compiled", "status": "True"}, {"type": "Synced", "status": "True"}]
    about = {"conditions": conditions, "failures": 3}

    _reconciler(None, {"c-one": about}, reconciles=False)

    assert about == {"conditions": conditions[:1], "failures": 0}


@pytest.mark.parametrize(
    ("problem", "names"), [("", ["c-one"]), ("not reachable", ["c-one", "c-two"])]
)
def test_cluster_that_is_no_longer_listed_is_forgotten(problem: str, names: list[str]) -> None:
    async def read(*_: object) -> dict[str, Any]:
        return {"c-one": {"problem": problem}}

    state: Any = SimpleNamespace(clusters={"c-one": {}, "c-two": {}})
    jobs: Any = SimpleNamespace(read=read)
    config: Any = None

    asyncio.run(_listed(Clusters(config, jobs, state, 60)))

    assert list(state.clusters) == names


async def _listed(clusters: Clusters) -> None:
    await clusters.listing()


def _reconciler(
    heads: object, abouts: dict[str, Any] | None = None, *, reconciles: bool = True
) -> Reconciler:
    async def listing() -> list[dict[str, Any]]:
        return [{"id": "c-one", "fingerprint": ""}]

    async def known_heads() -> dict[Any, Any]:
        return {(URL, "main"): "a"}

    clusters: Any = SimpleNamespace(
        forget_listing=lambda: None,
        heads=heads,
        known_heads=known_heads,
        listing=listing,
        record=lambda _: RECORD,
        moved=lambda *_: [],
        is_up_to_date=lambda *_: True,
    )
    settings: Any = SimpleNamespace(
        reconciles=reconciles, poll=3600.0, hook_secret=SECRET, workers=1
    )
    state: Any = SimpleNamespace(clusters=abouts or {}, save=lambda: None)
    jobs: Any = SimpleNamespace(all={}, stopping=asyncio.Event())
    return Reconciler(settings, state, clusters, jobs, push=clusters.heads)
