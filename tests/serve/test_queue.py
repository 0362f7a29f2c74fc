"""The queue by itself, with work that only waits."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from commodore_py.config import Config, WorkPaths
from commodore_py.serve.jobs import Jobs
from commodore_py.serve.state import State

if TYPE_CHECKING:
    from pathlib import Path


def test_job_cancelled_while_it_waits_is_over_and_is_not_reused(tmp_path: Path) -> None:
    async def run(*_: object, **__: object) -> dict[str, Any]:
        await asyncio.sleep(0.05)
        return {"outcome": "pushed"}

    async def states() -> tuple[str, str]:
        settings: Any = SimpleNamespace(config=Config(WorkPaths(tmp_path)), workers=1)
        processes: Any = SimpleNamespace(run=run)
        jobs = Jobs(settings, processes, State(), lambda _: None)
        jobs.submit("compile", "c-one", "ada")
        await asyncio.sleep(0.01)
        waiting = jobs.submit("push", "c-one", "ada")
        await asyncio.sleep(0.01)
        jobs.cancel(waiting)
        state = str(waiting.state)
        again = jobs.submit("push", "c-one", "ada")
        await asyncio.sleep(0.3)
        return state, str(again.state)

    assert asyncio.run(states()) == ("cancelled", "done")
