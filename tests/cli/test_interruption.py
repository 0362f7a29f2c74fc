"""Ctrl-C and killed workers, while Jsonnet is evaluated that would take minutes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.programs import accept_interruptions

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDLESS = """
local count(n, start) = std.foldl(function(a, b) a + b, std.range(1, n), start);
{ out: std.foldl(function(a, b) count(1000, a), std.range(1, 1000000), 0) }
"""
_SECONDS = 60
# So many entries are worth several processes.
_NAMES = "bcdefghijklmnopqrstuv"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """A cluster that was compiled, and would not come to an end any more."""
    root = tmp_path_factory.mktemp("endless") / "fleet"
    fleet = make_fleet(root, a={}, **{name: {} for name in _NAMES})
    subprocess.run(_command(fleet), check=True, capture_output=True)
    for name in _NAMES:
        commit_to(fleet.repository(f"component-{name}"), {"component/main.jsonnet": ENDLESS})
    return fleet


def _command(fleet: Fleet, processes: int = 1) -> list[str]:
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))
    program = (sys.executable, "-m", "commodore_py", "-d", str(fleet.work))
    return [*program, *words, "--processes", str(processes)]


@contextmanager
def _compiling(fleet: Fleet, processes: int) -> Iterator[subprocess.Popen[str]]:
    """A compile in a process group of its own, once it evaluates."""
    with subprocess.Popen(
        _command(fleet, processes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=accept_interruptions,  # noqa: PLW1509 - no thread of ours starts programs
    ) as process:
        try:
            assert process.stderr is not None
            printed = ""
            while "Compiling" not in printed:
                line = process.stderr.readline()
                assert line, f"it ended early: {printed}"
                printed += line
            _wait_until_busy(process.pid, 0 if processes == 1 else processes)
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _wait_until_busy(process: int, workers: int) -> None:
    """Wait until it, or each of its workers, has worked for a while."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        children = _children_of(process)
        busy = [_cpu_seconds(one) > 0.3 for one in children or [process]]
        if len(children) == workers and all(busy):
            return
        time.sleep(0.1)
    pytest.fail("nothing was evaluated")


def _children_of(process: int) -> list[int]:
    names = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(name) for name in names.split()]


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ended(processes: list[int]) -> bool:
    deadline = time.monotonic() + _SECONDS
    while any(map(_is_running, processes)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _is_running(process: int) -> bool:
    """Return whether a process runs; one that has ended stays until its parent has asked."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return not status.rpartition(")")[2].startswith(" Z")


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_ends_evaluation_at_once(fleet: Fleet, processes: int) -> None:
    before = _contents(fleet.work / "compiled")
    assert before

    with _compiling(fleet, processes) as process:
        children = _children_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        _, output = process.communicate(timeout=_SECONDS)

    assert len(children) == (2 if processes == 2 else 0)
    assert process.returncode == 130
    assert output.endswith("interrupted\n")
    assert "Traceback" not in output
    assert _ended(children)
    assert _contents(fleet.work / "compiled") == before


def test_workers_end_when_parent_is_killed(fleet: Fleet) -> None:
    with _compiling(fleet, 2) as process:
        children = _children_of(process.pid)
        process.kill()
        process.communicate(timeout=_SECONDS)

    assert len(children) == 2
    assert _ended(children)


def test_killed_worker_is_reported(fleet: Fleet) -> None:
    with _compiling(fleet, 2) as process:
        children = _children_of(process.pid)
        os.kill(children[0], signal.SIGKILL)
        _, output = process.communicate(timeout=_SECONDS)

    assert process.returncode == 1
    assert "error: a worker process was killed" in output
    assert "hint: if memory ran out" in output
    assert _ended(children)
