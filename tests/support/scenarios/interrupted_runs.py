"""Runs of the command that are interrupted, and what they leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONG = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended after a signal."""

    code: int
    output: str
    seconds: float
    """From the signal to the end."""
    left: tuple[str, ...]
    """Programs of its session that still run a second later."""
    in_time: bool
    """Whether the signal came before its end."""


def start(
    words: list[str], folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start the command in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "commodore_py", *words],
        cwd=folder,
        env={**os.environ, **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=programs.accept_interruptions,  # noqa: PLW1509 - no thread of ours starts programs
    )


def end(
    process: subprocess.Popen[bytes],
    what: signal.Signals,
    *,
    after: float | Callable[[], bool],
    group: bool = False,
) -> Ended:
    """Send a signal when the moment has come, and see what happens.

    Moments count from our first lines: what Python does with a signal before is its own.
    """
    _wait(process, lambda: _listens(process.pid))
    if callable(after):
        _wait(process, after)
    else:
        time.sleep(after)
    in_time = process.poll() is None
    began = time.monotonic()
    if in_time:
        (os.killpg if group else os.kill)(process.pid, what)
    try:
        _, output = process.communicate(timeout=_LONG)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, output = process.communicate()
    seconds = time.monotonic() - began
    left = session_of(process.pid)
    if left:
        time.sleep(1)
        left = session_of(process.pid)
    return Ended(process.returncode, output.decode(errors="replace"), seconds, left, in_time)


def _wait(process: subprocess.Popen[bytes], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _LONG
    while not ready() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)


def _listens(pid: int) -> bool:
    """Whether a process handles a signal that Python by itself does not."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = status.partition("SigCgt:")[2].split(maxsplit=1)
    return bool(caught) and bool(int(caught[0], 16) & (1 << (signal.SIGTERM - 1)))


def session_of(leader: int) -> tuple[str, ...]:
    """The command lines of all that runs in a session."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] not in "ZX":
                found.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return tuple(found)
