"""A door under fire: cases for some seconds, in a process that may crash, hang or be killed.

Cases are generated in batches, each from a seed of its own. Every way to fail is counted once, with
its smallest case.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from .worker import HEADER, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self

    from hypothesis.strategies import SearchStrategy

SECONDS_EACH = 60.0
"""For one case; generous, as several workers may share a processor."""
MEMORY = 1 << 30
"""For one case, beyond what the process has at its start."""
_BATCH = 50
_SHORT, _LONG = 1.0, 300.0
_SHOWN = 1500
_REPEATED = re.compile(r"(.)\1{20,}")


class Crash(NamedTuple):
    """A way to fail: its smallest case, where it came from, and the story."""

    case: object
    seed: int | None
    story: str

    @property
    def size(self) -> int:
        """How much there is to read."""
        return len(pickle.dumps(self.case))

    @property
    def shown(self) -> str:
        """The case as Python has it, without the long middle of repetitions."""
        whole = _REPEATED.sub(lambda found: f"{found[1]}«{len(found[0])} times»", repr(self.case))
        return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}… ({len(whole)} characters)"


@dataclass(slots=True)
class Figures:
    """What came of a campaign."""

    door: str
    outcomes: Counter[str] = field(default_factory=Counter)
    crashes: dict[str, Crash] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def inputs(self) -> int:
        """The number of cases."""
        return sum(self.outcomes.values())

    def __str__(self) -> str:
        lines = [f"{self.door}: {self.inputs} inputs in {self.seconds:.0f} s, {self.outcomes}"]
        for name, crash in self.crashes.items():
            lines += [f"\n{name} (seed {crash.seed})", f"case: {crash.shown}", crash.story]
        return "\n".join(lines)


def survives(
    feed: Callable[[Any], object],
    cases: SearchStrategy[Any],
    *always: object,
    slow: Iterable[object] = (),
) -> None:
    """Fail unless every case ends with success or an error of ours; write figures down.

    What is slow, as it takes its limit of time, is left to those who give a budget.
    """
    start = int(os.environ.get("FUZZ_SEED") or (time.time_ns() % 10**9 if _is_long() else 0))
    budget = _budget()
    more = tuple(slow) if budget > _SHORT else ()
    figures = campaign(feed, cases, (*always, *more), seconds=budget, start=start)
    if report := os.environ.get("FUZZ_REPORT"):
        with Path(report).open("a") as file:
            file.write(f"{json.dumps(_summary(figures))}\n")
    assert not figures.crashes, str(figures)
    assert figures.outcomes["success"], "no case was good: the door may not have been found"


def campaign(
    feed: Callable[[Any], object],
    cases: SearchStrategy[Any],
    always: Iterable[object] = (),
    *,
    seconds: float,
    start: int = 0,
    seconds_each: float = SECONDS_EACH,
) -> Figures:
    """Feed the cases that are always tried, then generated ones until the time is over."""
    figures = Figures(feed.__module__.rpartition(".")[2].removeprefix("test_"))
    began = time.monotonic()
    with Worker(feed, seconds_each) as worker:
        for case in always:
            _count(figures, worker, case, None)
        number, generating = start, time.monotonic()
        while time.monotonic() - generating < seconds:
            for case in batch(cases, number):
                if time.monotonic() - generating < seconds:
                    _count(figures, worker, case, number)
            number += 1
    figures.seconds = time.monotonic() - began
    return figures


def _is_long() -> bool:
    return os.environ.get("HYPOTHESIS_PROFILE") == "long"


def _budget() -> float:
    """Seconds for each door."""
    return float(os.environ.get("FUZZ_SECONDS") or (_LONG if _is_long() else _SHORT))


def _summary(figures: Figures) -> dict[str, object]:
    crashes = {
        name: {"case": crash.shown, "seed": crash.seed, "story": crash.story}
        for name, crash in figures.crashes.items()
    }
    return {
        "door": figures.door,
        "inputs": figures.inputs,
        "seconds": round(figures.seconds, 1),
        "outcomes": dict(figures.outcomes),
        "crashes": crashes,
    }


def batch(cases: SearchStrategy[Any], number: int) -> list[Any]:
    """The cases of a seed."""
    found: list[Any] = []

    @settings(
        max_examples=_BATCH,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @seed(number)
    @given(cases)
    def generate(case: object) -> None:
        found.append(case)

    generate()
    return found


def _count(figures: Figures, worker: Worker, case: object, number: int | None) -> None:
    kind, name, story = worker.feed(case)
    figures.outcomes[kind] += 1
    if kind == "crash":
        crash = Crash(case, number, story)
        known = figures.crashes.get(name)
        if known is None or crash.size < known.size:
            figures.crashes[name] = crash


class Worker:
    """The process behind a door; another one takes its place where it is lost."""

    def __init__(self, feed: Callable[[Any], object], seconds: float) -> None:
        self._door = (feed.__module__, feed.__qualname__)
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed at our own end
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._log.close()
        self._folder.cleanup()

    def feed(self, case: object) -> tuple[str, str, str]:
        """What came of a case."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        content = pickle.dumps(case)
        try:
            process.stdin.write(HEADER.pack(len(content)) + content)
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], self._seconds)
            if not ready:
                process.send_signal(signal.SIGABRT)  # shows where it is
                return self._lost(f"it took more than {self._seconds:g} seconds")
            header = process.stdout.read(HEADER.size)
            if header:
                outcome: tuple[str, str, str] = pickle.loads(  # noqa: S301 - from our own process
                    process.stdout.read(HEADER.unpack(header)[0])
                )
                return outcome
        except BrokenPipeError:
            pass
        return self._lost("")

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", *self._door, str(MEMORY)],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": self._folder.name, "HOME": self._folder.name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        return self._process

    def _lost(self, why: str) -> tuple[str, str, str]:
        code = self._end()
        ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
        self._log.seek(0)
        story = self._log.read().decode("ascii", errors="backslashreplace")[-4000:]
        self._log.truncate(0)
        return "crash", why or f"the process ended with {ended}", story

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            code = process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        process.stdout.close()
        return code
