"""What a command takes: CPU, wall and peak memory of everything that it starts."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_PATIENCE = 0.2  # seconds between looks at the memory
_SHARE = 50  # looking must not take more than that part of the time
_WORDS = 1500
# A process is charged with the memory of the one that it was forked from, so that must be small.
_LAUNCHER = """
import os, sys, time
answer, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(answer, False)
began = time.monotonic()
process = os.posix_spawn(command[0], command, os.environ)
_, status, usage = os.wait4(process, 0)
wall = time.monotonic() - began
cpu = usage.ru_utime + usage.ru_stime
code = os.waitstatus_to_exitcode(status)
os.write(answer, f"{code} {cpu} {wall} {usage.ru_maxrss / 1024}".encode())
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took, its children included."""

    cpu: float
    wall: float
    peak_mib: float
    """Of the largest process."""
    tree_mib: float
    """Of all processes at one time, shared pages counted once; never less than the largest."""

    def as_data(self) -> dict[str, float]:
        """Its figures by name."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def measure(command: Sequence[str], work: Path, environment: Mapping[str, str]) -> Measured:
    """Run a command that must succeed."""
    ours, theirs = os.pipe()
    with tempfile.TemporaryFile() as output:
        launcher = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(theirs), *command],
            cwd=work,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
            pass_fds=[theirs],
        )
        os.close(theirs)
        looking = _Memory(launcher.pid)
        looking.start()
        with os.fdopen(ours) as answer:
            figures = answer.read().split()
        looking.stop()
        launcher.wait()
        if not figures or int(figures[0]):
            output.seek(0)
            words = output.read().decode(errors="replace")[-_WORDS:]
            sys.exit(f"{' '.join(command)} failed, with status {figures[:1]}:\n{words}")
    cpu, wall, peak = (float(figure) for figure in figures[1:])
    return Measured(cpu, wall, peak, max(peak, looking.most_mib))


@dataclass(frozen=True, slots=True)
class Spread:
    """A median, with the least and the most."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Of at least one value."""
        known = sorted(values)
        return cls(statistics.median(known), known[0], known[-1])

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f} to {self.most:.2f})"


class _Memory(threading.Thread):
    """Looks at the memory of a process and its descendants now and then."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._ended = threading.Event()
        self.most_mib = 0.0

    def run(self) -> None:
        pause = _PATIENCE
        while not self._ended.wait(pause):
            began = time.thread_time()
            known = [one for one in _tree(self._process) if one != self._process]
            self.most_mib = max(self.most_mib, sum(map(_pss_mib, known)))
            pause = max(_PATIENCE, (time.thread_time() - began) * _SHARE)

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _tree(process: int) -> Iterator[int]:
    yield process
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:  # it has ended meanwhile
        return
    for thread in threads:
        try:
            known = (thread / "children").read_text().split()
        except OSError:  # as above
            continue
        for child in known:
            yield from _tree(int(child))


def _pss_mib(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended meanwhile, or this is not Linux
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
