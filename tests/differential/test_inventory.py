"""The generated hierarchies of every change, and far more of them now and then."""

from __future__ import annotations

import os

import pytest

from .inventory import compare_for, compare_seeds

SEED = 7
HIERARCHIES = 600
MINUTES = float(os.environ.get("DIFFERENTIAL_MINUTES", "30"))


def test_our_engine_and_reclass_rs_agree() -> None:
    report = compare_seeds(f"{SEED}:{number}" for number in range(HIERARCHIES))

    assert not report.differences, report.text()
    assert not report.missing()
    assert report.rendered >= 0.6 * report.count


@pytest.mark.long
def test_they_agree_for_half_an_hour(capsys: pytest.CaptureFixture[str]) -> None:
    report = compare_for(MINUTES * 60, jobs=2, seed=int(os.environ.get("DIFFERENTIAL_SEED", "7")))

    with capsys.disabled():
        os.write(1, f"{report.text()}\n".encode())
    assert not report.differences, report.text()
    assert not report.missing()
    assert report.rendered >= 0.6 * report.count
