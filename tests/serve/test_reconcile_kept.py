"""Values that are kept for moments."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING

from commodore_py.serve.daemon import Kept

if TYPE_CHECKING:
    import pytest


def test_old_value_is_given_once_more_and_a_too_old_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = iter(range(10))
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("commodore_py.serve.daemon.time", clock)

    async def load() -> int:
        return next(reads)

    async def run() -> list[int]:
        kept = Kept(load, fresh=10)
        values = []
        for seconds in (0, 5, 15, 40):
            now[0] = seconds
            values.append(await kept.get())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return values

    assert asyncio.run(run()) == [0, 0, 0, 2]


def test_value_that_cannot_be_read_is_read_again_at_once() -> None:
    failures = [ValueError("away")]

    async def load() -> int:
        if failures:
            raise failures.pop()
        return 1

    async def run() -> list[object]:
        kept = Kept(load, fresh=10)
        return [*await asyncio.gather(kept.get(), return_exceptions=True), await kept.get()]

    first, second = asyncio.run(run())

    assert isinstance(first, ValueError)
    assert second == 1
