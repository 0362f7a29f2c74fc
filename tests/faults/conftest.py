"""Where compiles were killed is counted at the end: in all of them, if all rounds were run."""

from __future__ import annotations

import signal
from collections import Counter
from typing import Any

import pytest

from tests.support.scenarios.killed_compiles import ROUNDS, SCENES, STAGES

# A shell that starts something in the background ignores it, and so would all that is started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

KILLS = pytest.StashKey[Counter[tuple[str, str]]]()


@pytest.fixture(scope="session")
def kills(pytestconfig: pytest.Config) -> Counter[tuple[str, str]]:
    """How often a compile was killed, by stage and by what it worked on."""
    return pytestconfig.stash.setdefault(KILLS, Counter())


def pytest_sessionfinish(session: pytest.Session) -> None:
    counted = session.config.stash.get(KILLS, Counter())
    found = getattr(session.config, "workeroutput", None)
    if found is not None:
        found["kills"] = [[*what, number] for what, number in counted.items()]
    # Workers have some of the rounds each; no test of one could see those of the others.
    elif _seldom_hit(counted) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _seldom_hit(counted: Counter[tuple[str, str]]) -> list[str]:
    """Stages in which hardly any compile was killed, of all rounds."""
    if counted.total() < ROUNDS:
        return []
    by_stage = {stage: sum(counted[stage, scene] for scene in SCENES) for stage in STAGES}
    return [stage for stage, hits in by_stage.items() if hits < ROUNDS // len(STAGES) - 1]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - xdist has no types
    """Add what a worker has counted."""
    counted = node.config.stash.setdefault(KILLS, Counter())
    for stage, what, number in getattr(node, "workeroutput", {}).get("kills", ()):
        counted[stage, what] += number


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counted = config.stash.get(KILLS, Counter())
    if not counted:
        return
    terminalreporter.section("killed compiles")
    for (stage, what), number in sorted(counted.items()):
        terminalreporter.write_line(f"{number:4} {stage:12} {what}")
    terminalreporter.write_line(f"{counted.total():4} in all")
    for stage in _seldom_hit(counted):
        terminalreporter.write_line(f"FAILED: hardly any compile was killed while {stage}")
