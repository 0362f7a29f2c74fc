"""When the reconciler looks at remotes, and when it tries again."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

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


def _reconciler(heads: Any) -> Reconciler:  # noqa: ANN401 - a function
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
    settings: Any = SimpleNamespace(reconciles=True, poll=3600.0, hook_secret=SECRET, workers=1)
    state: Any = SimpleNamespace(clusters={}, save=lambda: None)
    jobs: Any = SimpleNamespace(all={}, stopping=asyncio.Event())
    return Reconciler(settings, state, clusters, jobs, heads)
