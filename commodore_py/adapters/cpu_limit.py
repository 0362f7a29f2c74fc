"""A limit of CPU time for code that may continue forever, such as the patterns of a schema."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator


class TookTooLong(CommodoreError):
    """Code that did not end within its limit."""


@contextmanager
def cpu_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise `TookTooLong` in the code inside; elsewhere than in the main thread there is no limit.

    Python's own regular expressions can be interrupted, as they look for signals now and then.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: object) -> NoReturn:
        raise TookTooLong(f"{what} took more than {seconds:g} seconds of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        # Again and again: the code inside may catch all errors, and continue.
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
