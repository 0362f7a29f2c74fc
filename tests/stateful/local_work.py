"""Random sequences, for as long as asked: see `play.py` for what must hold in each.

Run it as `python -m tests.stateful.local_work --minutes 30 --jobs 2 --seed N`. Every sequence has a
seed of its own (`<seed>:<number>`): `--only SEED` runs it alone, and makes it as short as it still
fails.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .play import RULES, play
from .remotes import Remotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Step = tuple[str, int, int, int]

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, where there is one
_KEPT = 10
_STEPS = (6, 24)
# Compiles are what it is about, and time costs time.
_WEIGHTS = {"compile": 6.0, "compile_forced": 2.0, "wait": 0.1, "compile_local": 0.5}


@dataclass
class Report:
    """What a run saw."""

    count: int = 0
    steps: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    """How often each rule had something to do."""
    failures: dict[str, str] = field(default_factory=dict)
    """By seed, what did not hold."""

    def __iadd__(self, other: Report) -> Report:  # noqa: PYI034 - mypy's Self would not pickle
        self.count += other.count
        self.steps += other.steps
        self.seen += other.seen
        self.failures |= other.failures
        return self

    def missing(self) -> list[str]:
        """Rules that never had anything to do."""
        return [rule for rule in RULES if not self.seen[rule]]

    def text(self) -> str:
        """The report as printed."""
        lines = [f"{self.seen[rule]:9,}  {rule}" for rule in RULES]
        lines += [
            f"{self.count:9,}  sequences",
            f"{self.steps:9,}  steps",
            f"{len(self.failures):9,}  fail",
        ]
        for seed, problem in self.failures.items():
            lines += [f"--- {seed}", problem]
        return "\n".join(lines)


def sequence(seed: str) -> list[Step]:
    """The steps of a seed; the first thing is always a compile, and the last a forced one."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    weights = [_WEIGHTS.get(rule, 1.0) for rule in RULES]
    chosen = dice.choices(RULES, weights, k=dice.randint(*_STEPS))
    any_number = range(1000)
    steps: list[Step] = []
    for rule in chosen:
        a, b, c = dice.choices(any_number, k=3)
        steps.append((rule, a, b, c))
    return [("compile", 0, 0, 0), *steps, ("compile", 0, 0, 0), ("compile_forced", 0, 0, 0)]


class Stage:
    """A folder, in memory where possible, for one sequence after the other."""

    def __init__(self) -> None:
        place = str(_MEMORY) if _MEMORY.is_dir() else None
        self._scratch = tempfile.TemporaryDirectory(prefix="stateful-", dir=place)
        self._root, self._template = (Path(self._scratch.name) / one for one in ("it", "template"))
        Remotes(self._template).make()

    def __enter__(self) -> Stage:  # noqa: PYI034 - as above
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def run(self, seed: str, report: Report) -> None:
        """Play the sequence of a seed and add it to a report."""
        steps = sequence(seed)
        done, problem = self.outcome(steps)
        report.count += 1
        report.steps += len(steps)
        report.seen += Counter(done)
        if problem and len(report.failures) < _KEPT:
            report.failures[seed] = problem

    def outcome(self, steps: Sequence[Step]) -> tuple[list[str], str]:
        """The rules that did something, and what failed."""
        try:
            return play(self._root, steps, self._template), ""
        except Exception:  # noqa: BLE001 - a crash is a finding like any other
            return [], traceback.format_exc(limit=-6)

    def shortest(self, steps: list[Step]) -> tuple[list[Step], str]:
        """The steps without those that it fails without."""
        _, problem = self.outcome(steps)
        position = 0
        while problem and position < len(steps):
            less = steps[:position] + steps[position + 1 :]
            _, now = self.outcome(less)
            if now:
                steps, problem = less, now
            else:
                position += 1
        return steps, problem


def play_seeds(seeds: Iterator[str], *, until: float = float("inf")) -> Report:
    """Play sequences one after the other, until a moment of `time.monotonic`."""
    report = Report()
    with Stage() as stage:
        for seed in seeds:
            stage.run(seed, report)
            if time.monotonic() > until:
                break
    return report


def play_for(seconds: float, *, jobs: int, seed: int) -> Report:
    """Play for a while, in several processes; each takes every so-manieth number."""
    report = Report()
    arguments = [(seed, first, jobs, seconds) for first in range(jobs)]
    with multiprocessing.get_context("spawn").Pool(jobs, as_stranger) as pool:
        for part in pool.starmap(_every, arguments):
            report += part
    return report


def as_stranger() -> None:
    """Run Git without anybody's settings, as the tests do; and say nothing on the way."""
    for name in list(os.environ):
        if name.startswith(("COMMODORE_", "GIT_")):
            del os.environ[name]
    home = tempfile.mkdtemp(prefix="stateful-home-")
    os.environ.update(
        {
            "HOME": home,
            "XDG_CACHE_HOME": f"{home}/.cache",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_COMMITTER_NAME": "Test Author",
            "GIT_COMMITTER_EMAIL": "author@example.com",
        }
    )
    logging.disable(logging.CRITICAL)


def _every(seed: int, first: int, step: int, seconds: float) -> Report:
    numbers = iter(range(first, sys.maxsize, step))
    until = time.monotonic() + seconds
    return play_seeds((f"{seed}:{number}" for number in numbers), until=until)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one sequence alone, made as short as it still fails")
    options = parser.parse_args()
    if options.only:
        as_stranger()
        with Stage() as stage:
            steps, problem = stage.shortest(sequence(options.only))
        sys.stdout.write("\n".join([*map(repr, steps), problem or "all is well"]) + "\n")
        return
    report = play_for(options.minutes * 60, jobs=options.jobs, seed=options.seed)
    sys.stdout.write(f"{report.text()}\n")
    sys.exit(bool(report.failures or report.missing()))


if __name__ == "__main__":
    _main()
