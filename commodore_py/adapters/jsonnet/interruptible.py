"""Long calls into other languages, left at once when the user interrupts us.

Python reports an interruption, or the end of a time limit, when its main thread is back in Python:
the call is made by another thread, and what it calls back can be run by the main one.
"""

from __future__ import annotations

import signal
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    _Jobs: TypeAlias = SimpleQueue[Callable[[], None] | None]

Result = TypeVar("Result")

_SECONDS = 0.1


class _Main:
    """What the main thread is to run while it waits; None while it does not."""

    jobs: _Jobs | None = None


class _Outcome:
    """What a call returned or raised, for another thread."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._result: object = None
        self.error: BaseException | None = None
        try:
            self._result = call()
        except BaseException as error:  # noqa: BLE001 - raised again by the other thread
            self.error = error

    def take(self) -> object:
        if self.error is not None:
            raise self.error
        return self._result


def interruptible(call: Callable[[], Result]) -> Result:
    """The result of a call that lets Python go on meanwhile; an interruption does not wait for it.

    An interrupted call goes on until the process ends.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return call()
    jobs: _Jobs = SimpleQueue()
    outcomes: list[_Outcome] = []

    def work() -> None:
        outcomes.append(_Outcome(call))
        jobs.put(None)

    before, _Main.jobs = _Main.jobs, jobs
    try:
        threading.Thread(target=work, daemon=True).start()
        while True:
            try:
                # An interruption just before the wait would not end it.
                job = jobs.get(timeout=_SECONDS)
            except Empty:
                continue
            if job is None:
                break
            job()
    finally:
        _Main.jobs = before
    return outcomes[0].take()  # type: ignore[return-value] # the result of this call


def in_main_thread(call: Callable[[], Result]) -> Result:
    """The result of a call by the main thread, if that waits for an interruptible one."""
    jobs = _Main.jobs
    if jobs is None or threading.current_thread() is threading.main_thread():
        return call()
    outcomes: SimpleQueue[_Outcome] = SimpleQueue()

    def job() -> None:
        outcome = _Outcome(call)
        outcomes.put(outcome)
        if isinstance(outcome.error, KeyboardInterrupt):
            raise outcome.error

    jobs.put(job)
    return outcomes.get().take()  # type: ignore[return-value] # the result of this call
