"""Ctrl-C and signals: they end a run within a second, and all the programs that it started."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LONGEST = 0.8
_GRACE, _PAUSE = 0.3, 0.02
_PR_SET_CHILD_SUBREAPER = 36
_WORDS: dict[int, bytes] = {
    signal.SIGINT: b"interrupted\n",
    signal.SIGTERM: b"terminated\n",
    signal.SIGHUP: b"the terminal was closed\n",
}

_asked = threading.Event()
_last: int = signal.SIGINT
_is_finishing = False
_held: int | None = None


def listen() -> None:
    """Have signals end this process in an orderly way, unless they are ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def forget() -> None:
    """In a worker: its parent decides what happens."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)


def asked() -> bool:
    """Return whether the run is being ended."""
    return _asked.is_set()


def pause(seconds: float) -> None:
    """Sleep, in any thread; raises if the run is ended in the meantime."""
    if _asked.wait(seconds):
        raise KeyboardInterrupt


@contextmanager
def finishing() -> Iterator[None]:
    """Finish the block, in the main thread, before a signal ends the run."""
    global _is_finishing  # noqa: PLW0603 - a process ends once
    _is_finishing = True
    try:
        yield
    finally:
        _is_finishing = False
        if _held is not None:
            _end(_held, None)


def word() -> str:
    """The cause of the end of the run."""
    return _WORDS[_last].decode().strip()


def leave(code: int) -> None:
    """End this process as whatever asked for it expects; by a code, if nothing did."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    _leave(code)


def _leave(code: int) -> None:
    if _asked.is_set():
        _end_programs()  # a thread may have been about to start one
    if _asked.is_set() and _last != signal.SIGINT:
        # Whoever sent it learns that it worked; shells and supervisors tell the two apart.
        with suppress(ValueError):  # not in the main thread
            signal.signal(_last, signal.SIG_DFL)
            os.kill(os.getpid(), _last)
    os._exit(128 + _last if _asked.is_set() else code)


def _end(number: int, _: FrameType | None) -> None:
    global _last, _held  # noqa: PLW0603 - a process ends once
    if _is_finishing and _held is None:
        _held = number
        return
    if _asked.is_set() or _is_finishing:
        os._exit(128 + number)  # for the second time: at once
    _last = number
    _asked.set()
    # Threads may wait for a server, and Python for its threads.
    threading.Thread(target=_end_late, daemon=True).start()
    # This thread may be about to import something: another import in between confuses Python. And
    # what the other one imports may be what this one holds the lock of.
    ending = threading.Thread(target=_end_programs, daemon=True)
    ending.start()
    ending.join(_LONGEST / 2)
    raise KeyboardInterrupt


def _end_late() -> None:
    time.sleep(_LONGEST)
    with suppress(OSError):
        os.write(2, _WORDS[_last])
    _leave(0)


def _end_programs() -> None:
    end_all(os.getpid(), itself=False)


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends.

    Otherwise a program that detaches a process and ends would leave it behind.
    """
    import ctypes  # for programs of components only

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all(root: int, *, itself: bool) -> None:
    """End all that a process has started, and if wanted itself; with SIGTERM first."""
    import psutil  # slow to load, and few programs are ended

    family: set[psutil.Process] = set()

    def alive() -> set[psutil.Process]:
        """The processes that run now, also those whose parents have ended in the meantime."""
        for process in {top, *family}:
            with suppress(psutil.Error):
                family.update(process.children(recursive=True))
        for process in tuple(family):
            with suppress(psutil.Error):
                if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                    continue
            family.discard(process)
        return set(family)

    def send(processes: set[psutil.Process], number: signal.Signals) -> None:
        for process in processes:
            with suppress(psutil.Error):
                process.send_signal(number)

    try:
        top = psutil.Process(root)
    except psutil.NoSuchProcess:
        return
    family.update({top} if itself else ())
    deadline = time.monotonic() + _GRACE
    terminated: set[psutil.Process] = set()
    while (left := alive()) and time.monotonic() < deadline:
        send(left - terminated, signal.SIGTERM)
        terminated |= left
        time.sleep(_PAUSE)
    # One that is stopped starts no other, and one that is killed would leave others behind.
    stopped: set[psutil.Process] = set()
    while new := alive() - stopped:
        send(new, signal.SIGSTOP)
        stopped |= new
    send(stopped, signal.SIGKILL)
