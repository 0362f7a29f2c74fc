"""The sequences of every change, and far more of them now and then."""

from __future__ import annotations

import os

import pytest

from .local_work import LOCAL_WORK
from .sequences import play_for, play_seeds

SEEDS = ("202:0", "202:1")  # two sequences that have every rule but `wait`
MINUTES = float(os.environ.get("STATEFUL_MINUTES", "30"))
pytestmark = pytest.mark.usefixtures("no_user_cache")


def test_local_work_is_never_lost() -> None:
    report = play_seeds(LOCAL_WORK, iter(SEEDS))

    assert not report.failures, report.text()
    assert {*report.missing()} <= {"wait"}


@pytest.mark.long
def test_local_work_is_never_lost_for_half_an_hour(capsys: pytest.CaptureFixture[str]) -> None:
    report = play_for(
        LOCAL_WORK, MINUTES * 60, jobs=2, seed=int(os.environ.get("STATEFUL_SEED", "6"))
    )

    with capsys.disabled():
        os.write(1, f"{report.text()}\n".encode())
    assert not report.failures, report.text()
    assert not report.missing()
