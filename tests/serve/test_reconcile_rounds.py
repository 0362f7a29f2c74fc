"""When the reconciler looks at remotes, and when it tries again."""

from __future__ import annotations

import asyncio
import json
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import Config, WorkPaths
from commodore_py.serve.daemon import Daemon
from commodore_py.serve.reconcile import Reconciler
from commodore_py.serve.settings import Settings
from commodore_py.serve.state import ClusterState, Condition, Job, Record, State

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "a-secret-that-only-the-code-host-has"
URL = "https://git.example.com/global.git"
INPUT = {"url": URL, "version": "main", "gitSha": "a"}
RECORD = Record.model_validate({"inputs": {"global": INPUT}})


def test_webhook_while_remotes_are_read_has_them_read_again() -> None:
    async def run() -> None:
        reading, go_on, again = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def heads() -> dict[Any, Any]:
            if reading.is_set():
                again.set()
            reading.set()
            await go_on.wait()
            return {}

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
    tmp_path: Path,
    state: Any,  # noqa: ANN401 - a literal
    failures: int,
    pause: int,
) -> None:
    daemon = _daemon(tmp_path)
    about = daemon.state.clusters["c-one"] = ClusterState(failures=failures)

    daemon.ended(Job(kind="push", cluster="c-one", by="reconcile", state=state))

    assert pause - 5 < about.retry_at - time.time() <= pause


def test_daemon_that_does_not_reconcile_tells_nothing_about_it() -> None:
    compiled = Condition(type="Compiled", status="True", reason="Succeeded")
    synced = Condition(type="Synced", status="True", reason="UpToDate")
    about = ClusterState(conditions=[compiled, synced], failures=3)

    _reconciler(None, about, reconciles=False)

    assert (about.conditions, about.failures) == ([compiled], 0)


@pytest.mark.parametrize(
    ("problem", "names"), [("", ["c-one"]), ("not reachable", ["c-one", "c-two"])]
)
def test_cluster_that_is_no_longer_listed_is_forgotten(
    tmp_path: Path, problem: str, names: list[str]
) -> None:
    async def run(*_: object, **__: object) -> dict[str, Any]:
        return {"c-one": {"problem": problem, "record": None}}

    async def listed() -> list[str]:
        daemon = _daemon(tmp_path, run)
        daemon.state.clusters |= {"c-one": ClusterState(), "c-two": ClusterState()}
        await daemon.listing.get()
        return list(daemon.state.clusters)

    assert asyncio.run(listed()) == names


def _daemon(root: Path, run: object = None) -> Daemon:
    processes: Any = SimpleNamespace(run=run)
    return Daemon(Settings(Config(WorkPaths(root)), {}, frozenset(), 1), processes)


def _reconciler(
    heads: object, about: ClusterState | None = None, *, reconciles: bool = True
) -> Reconciler:
    async def listing() -> dict[str, Any]:
        return {"c-one": {"id": "c-one", "fingerprint": ""}}

    async def read(*_: object, **__: object) -> list[object]:
        return []

    def kept(get: object) -> SimpleNamespace:
        return SimpleNamespace(get=get, forget=lambda: None)

    settings: Any = SimpleNamespace(
        config=SimpleNamespace(paths=None),
        reconciles=reconciles,
        poll=3600.0,
        hook_secret=SECRET,
        workers=1,
    )
    daemon: Any = SimpleNamespace(
        settings=settings,
        state=State(clusters={"c-one": about or ClusterState()}),
        jobs=SimpleNamespace(all={}, stopping=asyncio.Event(), read=read),
        wake=asyncio.Event(),
        heads=kept(heads),
        listing=kept(listing),
        record=lambda _: RECORD,
        moved=lambda *_: [],
        is_known=lambda *_: True,
    )
    return Reconciler(daemon)
