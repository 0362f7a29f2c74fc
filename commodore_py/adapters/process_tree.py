"""Running processes: which were started by which, what they do, and how to end them all."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import NamedTuple

_PROC = "/proc"
_GRACE, _PAUSE = 0.3, 0.02
_PR_SET_CHILD_SUBREAPER = 36


class Process(NamedTuple):
    """One that is running."""

    number: int
    parent: int
    began: str
    """What tells it from a later one with the same number."""
    ticks: int = 0
    """CPU time, in the system's own unit."""


class Effort(NamedTuple):
    """Work of processes so far."""

    numbers: frozenset[int]
    ticks: int
    moved: int
    """Bytes that were read and written."""


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends.

    Otherwise a program that detaches a process and ends would leave it behind.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def below(root: int) -> list[Process]:
    """All processes that a process has started, and what those have started."""
    return _below([root], _running())


def end_all(root: int, *, itself: bool) -> None:
    """End all that a process has started, and if wanted itself; politely first, then at once."""
    family = _Family(root, itself=itself)
    deadline = time.monotonic() + _GRACE
    terminated: set[Process] = set()
    while (alive := family.alive()) and time.monotonic() < deadline:
        for process in alive - terminated:
            _send(process, signal.SIGTERM)
        terminated |= alive
        time.sleep(_PAUSE)
    # One that is stopped starts no other, and one that is killed would leave others behind.
    stopped: set[Process] = set()
    while new := family.alive() - stopped:
        for process in new:
            _send(process, signal.SIGSTOP)
        stopped |= new
    for process in stopped:
        _send(process, signal.SIGKILL)


class _Family:
    """A process and all below it, also those whose parents have ended in the meantime."""

    def __init__(self, root: int, *, itself: bool) -> None:
        self._root, self._itself = root, itself
        self._known: set[Process] = set()

    def alive(self) -> set[Process]:
        """Processes that run now."""
        now = _running()
        members = [process for process in now if process._replace(parent=0, ticks=0) in self._known]
        processes = [*members, *_below([self._root, *(process.number for process in members)], now)]
        if self._itself:
            processes += [process for process in now if process.number == self._root]
        self._known |= {process._replace(parent=0, ticks=0) for process in processes}
        return {process._replace(parent=0, ticks=0) for process in processes}


def _below(roots: list[int], everybody: list[Process]) -> list[Process]:
    children: dict[int, list[Process]] = {}
    for process in everybody:
        children.setdefault(process.parent, []).append(process)
    processes, waiting = [], roots
    while waiting:
        ours = children.pop(waiting.pop(), [])
        processes += ours
        waiting += [our.number for our in ours]
    return processes


def effort(root: int) -> Effort | None:
    """Measure a process and those below it; None where the system does not tell."""
    try:
        itself = _of_proc(str(root))
        if itself is None:
            return None
        tree = [itself, *below(root)]
        moved = sum(_moved(process.number) for process in tree)
    except OSError:
        return None
    return Effort(
        frozenset(process.number for process in tree), sum(process.ticks for process in tree), moved
    )


def _running() -> list[Process]:
    if os.path.exists(f"{_PROC}/self/stat"):  # noqa: PTH110 - quick
        processes = (_of_proc(name) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208
        return [process for process in processes if process is not None]
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat=,lstart="],
        capture_output=True,
        check=False,
        text=True,
    ).stdout
    rows = (line.split(None, 3) for line in listing.splitlines())
    return [
        Process(int(row[0]), int(row[1]), row[3])
        for row in rows
        if len(row) == 4 and not row[2].startswith("Z")  # noqa: PLR2004 - as asked above
    ]


def _of_proc(name: str) -> Process | None:
    try:
        with open(f"{_PROC}/{name}/stat", "rb") as file:  # noqa: PTH123 - quick
            # The program's name is in brackets, and may hold any.
            words = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    # See proc(5): state is the first word here, ppid 2, utime 12, stime 13, starttime 20.
    if not words or words[0] in (b"Z", b"X"):
        return None
    return Process(int(name), int(words[1]), words[19].decode(), int(words[11]) + int(words[12]))


def _moved(number: int) -> int:
    try:
        with open(f"{_PROC}/{number}/io", "rb") as file:  # noqa: PTH123 - quick
            lines = file.read().split()
    except FileNotFoundError:
        return 0
    return int(lines[1]) + int(lines[3])  # rchar and wchar


def _send(process: Process, what: signal.Signals) -> None:
    with suppress(OSError):
        os.kill(process.number, what)
