"""Running processes: which were started by which, what they do, and how to end them all."""

from __future__ import annotations

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
    """What processes have done so far."""

    numbers: frozenset[int]
    ticks: int
    moved: int
    """Bytes that were read and written."""


def below(root: int) -> list[Process]:
    """All processes that a process has started, and what those have started."""
    everybody = _running()
    children: dict[int, list[Process]] = {}
    for one in everybody:
        children.setdefault(one.parent, []).append(one)
    found, waiting = [], [root]
    while waiting:
        ours = children.pop(waiting.pop(), [])
        found += ours
        waiting += [one.number for one in ours]
    return found


def end_all(root: int, *, itself: bool) -> None:
    """End all that a process has started, and if wanted itself; politely first, then at once."""
    known: dict[int, Process] = {}
    deadline = time.monotonic() + _GRACE
    while True:
        now = {one.number: one for one in _running()}
        tree = [*below(root), now[root]] if itself and root in now else below(root)
        new = [one for one in tree if one.number not in known]
        known.update({one.number: one for one in new})
        for one in new:
            _send(one, signal.SIGTERM)
        left = [one for one in known.values() if _is(one, now) or one in new]
        if not left:
            return
        if time.monotonic() > deadline:
            break
        time.sleep(_PAUSE)
    for one in left:
        _send(one, signal.SIGKILL)


def effort(root: int) -> Effort | None:
    """What a process and those below it have done; None where the system does not tell."""
    try:
        itself = _of_proc(str(root))
        if itself is None:
            return None
        tree = [itself, *below(root)]
        moved = sum(_moved(one.number) for one in tree)
    except OSError:
        return None
    return Effort(frozenset(one.number for one in tree), sum(one.ticks for one in tree), moved)


def adopt_orphans() -> None:
    """Have processes whose parent has ended count as ours, where the system can do that."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - slow to import, and most runs start no program of others

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _running() -> list[Process]:
    if os.path.exists(f"{_PROC}/self/stat"):  # noqa: PTH110 - quick
        found = (_of_proc(name) for name in os.listdir(_PROC) if name.isdigit())  # noqa: PTH208
        return [one for one in found if one is not None]
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


def _is(one: Process, now: dict[int, Process]) -> bool:
    found = now.get(one.number)
    return found is not None and found.began == one.began


def _send(one: Process, what: signal.Signals) -> None:
    with suppress(OSError):
        os.kill(one.number, what)
