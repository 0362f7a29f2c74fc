"""Our YAML emitter beside PyYAML's: some documents for every change, and far more now and then."""

from __future__ import annotations

import os

import pytest

from .yaml_emitter import compare_for, compare_seeds

SEED = 3
STREAMS = 1000
MINUTES = float(os.environ.get("DIFFERENTIAL_MINUTES", "30"))


def test_our_emitter_and_pyyaml_agree() -> None:
    report = compare_seeds(f"{SEED}:{number}" for number in range(STREAMS))

    assert not report.differences, report.text()
    assert not report.missing()


@pytest.mark.long
def test_they_agree_for_half_an_hour(capsys: pytest.CaptureFixture[str]) -> None:
    report = compare_for(MINUTES * 60, jobs=2, seed=int(os.environ.get("DIFFERENTIAL_SEED", "6")))

    with capsys.disabled():
        os.write(1, f"{report.text()}\n".encode(errors="backslashreplace"))
    assert not report.differences, report.text()
    assert not report.missing()
