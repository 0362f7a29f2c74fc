"""Progress as lines now and then: when there is one, and its content."""

from __future__ import annotations

import logging

import pytest

from commodore_py import run_log
from commodore_py.cli.output import log
from commodore_py.cli.output.progress import Progress


@pytest.fixture(autouse=True)
def usual_output() -> None:
    log.set_up()
    logging.getLogger("commodore_py").propagate = True


def run(progress: Progress, *names: str, stage: str = "compile") -> None:
    with run_log.watching(progress), run_log.stage(stage, of="target", total=len(names)):
        for name in names:
            with run_log.item("target", name):
                pass
    progress.close()


def test_lines_show_the_progress(caplog: pytest.LogCaptureFixture) -> None:
    run(Progress(pause=0), "one", "two")

    assert caplog.messages == ["Compiling: 1 of 2", "Compiling: 2 of 2", "Compiling: 2 of 2"]


def test_short_stages_are_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    run(Progress(), "one", "two")

    assert caplog.messages == []


def test_quiet_is_quiet(caplog: pytest.LogCaptureFixture) -> None:
    log.set_up(quiet=True)

    run(Progress(pause=0), "one")

    assert caplog.messages == []


def test_internal_stages_are_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    run(Progress(pause=0), "one", stage="refs")

    assert caplog.messages == []


def test_stages_within_stages(caplog: pytest.LogCaptureFixture) -> None:
    progress = Progress(pause=0)

    with run_log.watching(progress), run_log.stage("compile", of="target", total=1):
        with run_log.stage("download", of="download", total=1), run_log.item("download", "chart"):
            pass
        with run_log.item("target", "one"):
            pass

    assert list(dict.fromkeys(caplog.messages)) == ["Downloading: 1 of 1", "Compiling: 1 of 1"]
