"""Read the output of a program until its end, within time limits."""

from __future__ import annotations

import logging
import os
import select
import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from . import time_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process_tree import Effort

log = logging.getLogger(__name__)

_PIECE = 1 << 16
_TICK = 0.25
_AFTER_EXIT = 5.0
_AT_MOST = 1.0  # even if more comes all the time
# Less than this counts as idle: a connection that is kept open, a server that sends drop by drop.
_BYTES_A_SECOND, _CPU_SHARE = 100, 0.002
_SAMPLES = 8


class OutOfTime(Exception):
    """A program took too long, or printed too much; says why and what to do."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


class Patience(NamedTuple):
    """How long a program may take, in seconds; 0 stands for as long as it likes."""

    overall: float = 0
    idle: float = 0
    """How long it may do nothing: neither compute, nor read, nor write."""
    setting: str = ""
    """The names of these limits."""
    after_exit: float = _AFTER_EXIT
    """How long others may hold its output open, once it has ended."""
    output: int = 1 << 30
    """How many bytes it may print."""

    @classmethod
    def for_program(cls) -> Patience:
        """Settings about programs."""
        limits = time_limits.current()
        return cls(limits.program, limits.program_idle, "program")


class Watch:
    """Takes what a program prints, and looks at the clock in the meantime."""

    def __init__(self, called: Callable[[], str], patience: Patience) -> None:
        self._called = called
        self._patience = patience
        self._began = time.monotonic()
        self._word_at = self._began + time_limits.FIRST_WORD
        self._sample_at = self._began + patience.idle / _SAMPLES
        self._samples: list[tuple[float, Effort]] = []

    def communicate(self, process: subprocess.Popen[bytes], stdin: bytes) -> tuple[bytes, bytes]:
        """Return its stdout and stderr, once it has ended."""
        pipes = _Pipes(process, stdin, self._patience.output)
        look_at = ended_at = 0.0
        while pipes.are_open():
            quiet = not pipes.move()
            now = time.monotonic()
            self._check(process, now)
            if quiet or now >= look_at:
                look_at = now + _TICK
                if process.poll() is not None:
                    ended_at = ended_at or now
            # Another process may hold its output open for ever.
            late = now - ended_at - self._patience.after_exit
            if ended_at and late >= (0 if quiet else _AT_MOST):
                break
        self._wait(process)
        return pipes.content(process.stdout), pipes.content(process.stderr)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of a program that has closed its output."""
        if process.poll() is not None:
            return
        try:
            file = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_TICK)
                self._check(process, time.monotonic())
            return
        try:
            poller = select.poll()
            poller.register(file, select.POLLIN)
            while not poller.poll(_TICK * 1000):
                self._check(process, time.monotonic())
        finally:
            os.close(file)
        process.wait()

    def _check(self, process: subprocess.Popen[bytes], now: float) -> None:
        """Say what is waited for, and end what takes too long."""
        overall, idle, setting, *_ = self._patience
        if now >= self._word_at:
            passed = now - self._began
            log.log(
                time_limits.SHOWN, "still waiting for %s after %d seconds", self._called(), passed
            )
            self._word_at = now + time_limits.NEXT_WORD
        if overall and now - self._began > overall:
            why = f"after {overall:g} seconds without a result{_see(setting)}"
            raise OutOfTime(why, time_limits.hint(setting, overall))
        if idle and now >= self._sample_at and self._is_idle(process.pid, now, idle):
            setting = f"{setting}-idle"
            why = f"as it did nothing for {idle:g} seconds{_see(setting)}"
            raise OutOfTime(why, time_limits.hint(setting, idle))

    def _is_idle(self, number: int, now: float, idle: float) -> bool:
        from .process_tree import effort  # for programs that take long only

        self._sample_at = now + idle / _SAMPLES
        done = effort(number)
        if done is None:
            return False
        self._samples.append((now, done))
        before = self._samples[0]
        share = os.sysconf("SC_CLK_TCK") * _CPU_SHARE
        if (
            done.numbers != before[1].numbers
            or done.moved - before[1].moved > _BYTES_A_SECOND * idle
            or done.ticks - before[1].ticks > share * idle
        ):
            self._samples = [(now, done)]
            return False
        return now - before[0] >= idle * (1 - 1 / _SAMPLES)


def _see(setting: str) -> str:
    # In the message, as hints are replaced by those who know more about a program.
    return f" (setting time-limits.{setting})" if setting in time_limits.TimeLimits.names() else ""


class _Pipes:
    """The pipes to and from a program."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limit: int) -> None:
        self._poller = select.poll()
        self._found: dict[int, list[bytes]] = {}
        self._left = memoryview(stdin)
        self._stdin = process.stdin
        self._size, self._most = 0, limit
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                self._found[stream.fileno()] = []
                self._poller.register(stream.fileno(), select.POLLIN)
        if self._stdin is not None:
            os.set_blocking(self._stdin.fileno(), False)
            self._poller.register(self._stdin.fileno(), select.POLLOUT)
        self._open = set(self._found)

    def are_open(self) -> bool:
        """Return whether anything may still come."""
        return bool(self._open)

    def move(self) -> bool:
        """Read and write what is possible within a moment; whether there was anything."""
        ready = self._poller.poll(_TICK * 1000)
        for file, _ in ready:
            if file in self._found:
                self._read(file)
            else:
                self._write(file)
        return bool(ready)

    def content(self, stream: IO[bytes] | None) -> bytes:
        """Output that has come by one of them."""
        return b"".join(self._found[stream.fileno()]) if stream is not None else b""

    def _read(self, file: int) -> None:
        piece = os.read(file, _PIECE)
        if not piece:
            self._poller.unregister(file)
            self._open.discard(file)
            return
        self._found[file].append(piece)
        self._size += len(piece)
        if self._size > self._most:
            raise OutOfTime(f"as it printed more than {self._most} bytes")

    def _write(self, file: int) -> None:
        try:
            self._left = self._left[os.write(file, self._left[:_PIECE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not want the rest
            self._left = self._left[:0]
        if not self._left and self._stdin is not None:
            self._poller.unregister(file)
            self._stdin.close()
            self._stdin = None
