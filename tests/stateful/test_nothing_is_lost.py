"""The sequences of every change, and far more of them now and then."""

from __future__ import annotations

import os

import pytest

from .local_work import LOCAL_WORK
from .sequences import play_for, play_seeds

SEED = 103
SEQUENCES = 5
MINUTES = float(os.environ.get("STATEFUL_MINUTES", "30"))
pytestmark = pytest.mark.usefixtures("no_user_cache")


def test_no_sequence_loses_a_commit_or_a_byte() -> None:
    report = play_seeds(LOCAL_WORK, (f"{SEED}:{number}" for number in range(SEQUENCES)))

    assert not report.failures, report.text()
    assert not report.missing()


@pytest.mark.long
def test_none_does_in_half_an_hour(capsys: pytest.CaptureFixture[str]) -> None:
    report = play_for(
        LOCAL_WORK, MINUTES * 60, jobs=2, seed=int(os.environ.get("STATEFUL_SEED", "6"))
    )

    with capsys.disabled():
        os.write(1, f"{report.text()}\n".encode())
    assert not report.failures, report.text()
    assert not report.missing()
