"""Short time limits, set as the command line sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from commodore_py.adapters import time_limits

if TYPE_CHECKING:
    from collections.abc import Iterator


class SetLimits(Protocol):
    """Sets some of the limits, by their names in the code."""

    def __call__(self, **seconds: float) -> None: ...


@pytest.fixture
def limits() -> Iterator[SetLimits]:
    """Sets limits for this test."""

    def set_(**seconds: float) -> None:
        time_limits.use(time_limits.TimeLimits()._replace(**seconds))

    yield set_
    time_limits.use(time_limits.TimeLimits())
