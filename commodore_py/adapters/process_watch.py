"""Time limits of a program that runs."""

from __future__ import annotations

import logging
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import time_limits

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

_TICK = 0.25
_AFTER_EXIT = 5.0


class OutOfTime(Exception):
    """A program took too long, or printed too much; says why and what to do."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a program may take, in seconds; 0 stands for as long as it likes."""

    overall: float = 0
    setting: str = ""
    """The name of this limit."""
    after_exit: float = _AFTER_EXIT
    """How long others may hold its output open, once it has ended."""
    output: int = 1 << 30
    """How many bytes it may print."""

    @classmethod
    def for_program(cls) -> Patience:
        """The setting for programs."""
        return cls(time_limits.current().program, "program")


class Watch:
    """Waits for a program, and checks its limits in the meantime."""

    def __init__(self, called: Callable[[], str], patience: Patience) -> None:
        self._called = called
        self._patience = patience
        self._began = time.monotonic()
        self._word_at = self._began + time_limits.FIRST_WORD

    def communicate(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """Return its stdout and stderr, once it has ended."""
        ended_at = 0.0
        while True:
            try:
                return process.communicate(timeout=_TICK)
            except subprocess.TimeoutExpired as running:
                output, errors = running.stdout or b"", running.stderr or b""
            now = time.monotonic()
            if len(output) + len(errors) > self._patience.output:
                raise OutOfTime(f"as it printed more than {self._patience.output} bytes")
            self._check(now)
            if process.poll() is not None:
                # Another process may hold its output open for ever. What it printed itself may
                # have come after the last look at the pipes: it is read once more.
                if ended_at and now - ended_at >= self._patience.after_exit:
                    return output, errors
                ended_at = ended_at or now

    def _check(self, now: float) -> None:
        """Log what is waited for, and end what takes too long."""
        overall, setting = self._patience.overall, self._patience.setting
        if now >= self._word_at:
            passed = now - self._began
            log.log(
                time_limits.SHOWN, "still waiting for %s after %d seconds", self._called(), passed
            )
            self._word_at = now + time_limits.NEXT_WORD
        if overall and now - self._began > overall:
            why = f"after {overall:g} seconds without a result{_see(setting)}"
            raise OutOfTime(why, time_limits.hint(setting, overall))


def _see(setting: str) -> str:
    # In the message, as hints are replaced by those who know more about a program.
    return f" (setting time-limits.{setting})" if setting in time_limits.TimeLimits.names() else ""
