"""The sequences of every change, and far more of them now and then."""

from __future__ import annotations

import os

import pytest

from .locks import COUNTED, LOCKS
from .sequences import play_for, play_seeds

SEEDS = ("7:2",)
MINUTES = float(os.environ.get("STATEFUL_MINUTES", "30"))
pytestmark = pytest.mark.usefixtures("no_user_cache")


@pytest.mark.long
def test_frozen_compiles_equal_locking_compiles() -> None:
    report = play_seeds(LOCKS, iter(SEEDS))

    assert not report.failures, report.text()
    assert all(report.seen[name] for name in COUNTED), report.text()


@pytest.mark.long
def test_frozen_compiles_equal_locking_compiles_for_half_an_hour(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seed = int(os.environ.get("STATEFUL_SEED", "8"))
    report = play_for(LOCKS, MINUTES * 60, jobs=2, seed=seed)

    with capsys.disabled():
        os.write(1, f"{report.text()}\n".encode())
    assert not report.failures, report.text()
    assert not report.missing()
