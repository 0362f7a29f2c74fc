"""Long calls into other languages, left at once when the user interrupts us.

Python reports an interruption, or the end of a time limit, when its main thread is back in Python:
the call is made by another thread, and what it calls back can be run by the main one.
"""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    _Jobs: TypeAlias = SimpleQueue[Callable[[], None] | None]

Result = TypeVar("Result")

_SECONDS = 0.1


class _Main:
    """The jobs that the main thread runs while it waits; None while it does not."""

    jobs: _Jobs | None = None


def interruptible(call: Callable[[], Result]) -> Result:
    """The result of a call that lets Python continue; an interruption does not wait for it.

    An interrupted call continues until the process ends.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return call()
    jobs: _Jobs = SimpleQueue()
    outcome: Future[Result] = Future()

    def work() -> None:
        _settle(outcome, call)
        jobs.put(None)

    before, _Main.jobs = _Main.jobs, jobs
    try:
        threading.Thread(target=work, daemon=True).start()
        while not outcome.done():
            try:
                # An interruption just before the wait would not end it.
                job = jobs.get(timeout=_SECONDS)
            except Empty:
                continue
            if job is not None:
                job()
    finally:
        _Main.jobs = before
    return outcome.result()


def in_main_thread(call: Callable[[], Result]) -> Result:
    """The result of a call by the main thread, if that waits for an interruptible one."""
    jobs = _Main.jobs
    if jobs is None or threading.current_thread() is threading.main_thread():
        return call()
    outcome: Future[Result] = Future()

    def job() -> None:
        _settle(outcome, call)
        error = outcome.exception()
        if isinstance(error, KeyboardInterrupt):
            raise error

    jobs.put(job)
    return outcome.result()


def _settle(outcome: Future[Result], call: Callable[[], Result]) -> None:
    try:
        outcome.set_result(call())
    except BaseException as error:  # noqa: BLE001 - raised again by the other thread
        outcome.set_exception(error)
