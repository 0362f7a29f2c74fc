"""Limits of time: for programs, Git's remotes and servers, and of CPU time for code of others.

Those for others than this process are set once, by the command line.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHOWN = logging.INFO + 1
"""The level of what says that someone is waited for: shown without `-v`, not with `--quiet`."""

FIRST_WORD, NEXT_WORD = 10.0, 30.0
"""Seconds until the log says what is waited for, and until it does so again."""

log = logging.getLogger(__name__)


class TimeLimits(NamedTuple):
    """Seconds, by the names of the setting `time-limits`; 0 stands for no limit.

    `git_idle` is for transfers over HTTP that stall, the others are for the whole of it.
    """

    request: float = 45
    download: float = 900
    git: float = 900
    git_idle: float = 40
    program: float = 600
    retry: float = 30

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names in the settings file."""
        return tuple(name.replace("_", "-") for name in cls._fields)

    def with_(self, given: Iterable[tuple[str, float]]) -> TimeLimits:
        """Change some of them."""
        return self._replace(**{name.replace("-", "_"): seconds for name, seconds in given})


_current = TimeLimits()


def current() -> TimeLimits:
    """The limits of this process."""
    return _current


def use(limits: TimeLimits) -> None:
    """Set the limits of this process."""
    global _current  # noqa: PLW0603 - every program and request would have to be handed them
    _current = limits


def hint(name: str, seconds: float) -> str:
    """A hint about a limit that was too short; empty for those without a setting."""
    if name not in TimeLimits.names():
        return ""
    return f"to wait longer, set time-limits.{name} = {2 * seconds:g} in the settings file"


class Clock:
    """The time that something takes; the log says now and then what is waited for."""

    def __init__(self, what: Callable[[], str]) -> None:
        self._what = what
        self._began = time.monotonic()
        self._word_at = FIRST_WORD

    def passed(self) -> float:
        """Seconds since it began."""
        passed = time.monotonic() - self._began
        if passed >= self._word_at:
            log.log(SHOWN, "still waiting for %s after %d seconds", self._what(), passed)
            self._word_at = passed + NEXT_WORD
        return passed


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
