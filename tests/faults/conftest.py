"""Where compiles were killed is told at the end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

KILLS = pytest.StashKey[Counter[tuple[str, str]]]()


@pytest.fixture(scope="session")
def kills(pytestconfig: pytest.Config) -> Counter[tuple[str, str]]:
    """How often a compile was killed, by stage and by what it worked on."""
    return pytestconfig.stash.setdefault(KILLS, Counter())


def pytest_sessionfinish(session: pytest.Session) -> None:
    found = getattr(session.config, "workeroutput", None)
    if found is not None:
        counted = session.config.stash.get(KILLS, Counter())
        found["kills"] = [[*what, number] for what, number in counted.items()]


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
