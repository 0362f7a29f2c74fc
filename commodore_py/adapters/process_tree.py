"""Processes that a process has started, and how to end them all."""

from __future__ import annotations

import ctypes
import signal
import sys
import time
from contextlib import suppress

import psutil

_GRACE, _PAUSE = 0.3, 0.02
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends.

    Otherwise a program that detaches a process and ends would leave it behind.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all(root: int, *, itself: bool) -> None:
    """End all that a process has started, and if wanted itself; with SIGTERM first."""
    try:
        family = _Family(psutil.Process(root), itself=itself)
    except psutil.NoSuchProcess:
        return
    deadline = time.monotonic() + _GRACE
    terminated: set[psutil.Process] = set()
    while (alive := family.alive()) and time.monotonic() < deadline:
        _send(alive - terminated, signal.SIGTERM)
        terminated |= alive
        time.sleep(_PAUSE)
    # One that is stopped starts no other, and one that is killed would leave others behind.
    stopped: set[psutil.Process] = set()
    while new := family.alive() - stopped:
        _send(new, signal.SIGSTOP)
        stopped |= new
    _send(stopped, signal.SIGKILL)


class _Family:
    """A process and all below it, also those whose parents have ended in the meantime."""

    def __init__(self, root: psutil.Process, *, itself: bool) -> None:
        self._root = root
        self._known = {root} if itself else set[psutil.Process]()

    def alive(self) -> set[psutil.Process]:
        """Processes that run now."""
        for process in {self._root, *self._known}:
            with suppress(psutil.Error):
                self._known |= {*process.children(recursive=True)}
        self._known = {process for process in self._known if _runs(process)}
        return set(self._known)


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _send(processes: set[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)
