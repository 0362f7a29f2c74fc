"""Long calls into other languages, left at once when the user interrupts us.

Python reports an interruption, or the end of a time limit, when its main thread is back in Python:
the call is made by another thread, and what it calls back can be run by the main one.
"""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    _Job: TypeAlias = tuple[Future[Any], Callable[[], Any]]

Result = TypeVar("Result")

_SECONDS = 0.1


class _Main:
    """The jobs that the main thread runs while it waits; None while it does not."""

    jobs: SimpleQueue[_Job | None] | None = None


def interruptible(call: Callable[[], Result]) -> Result:
    """The result of a call that lets Python continue; an interruption does not wait for it.

    An interrupted call continues until the process ends.
    """
    if not _is_main() or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return call()
    jobs = _Main.jobs = SimpleQueue()
    outcome: Future[Result] = Future()
    outcome.add_done_callback(lambda _: jobs.put(None))
    try:
        threading.Thread(target=_settle, args=(outcome, call), daemon=True).start()
        while not outcome.done():
            # An interruption just before the wait would not end it.
            with suppress(Empty):
                if job := jobs.get(timeout=_SECONDS):
                    _settle(*job)
                    if isinstance(error := job[0].exception(), KeyboardInterrupt):
                        raise error
    finally:
        _Main.jobs = None
    return outcome.result()


def in_main_thread(call: Callable[[], Result]) -> Result:
    """The result of a call by the main thread, if that waits for an interruptible one."""
    if _Main.jobs is None or _is_main():
        return call()
    outcome: Future[Result] = Future()
    _Main.jobs.put((outcome, call))
    return outcome.result()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _settle(outcome: Future[Result], call: Callable[[], Result]) -> None:
    try:
        outcome.set_result(call())
    except BaseException as error:  # noqa: BLE001 - raised again by the other thread
        outcome.set_exception(error)
