"""Random sequences of steps, one after the other or for a while in several processes."""

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
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Step: TypeAlias = tuple[str, int, int, int]

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, where there is one
_KEPT = 10


@dataclass(frozen=True)
class Game:
    """What can happen in a sequence, and who lets it happen."""

    rules: tuple[str, ...]
    prepare: Callable[[Path], None]
    """Makes what every sequence begins with."""
    play: Callable[[Path, Sequence[Step], Path], list[str]]
    """Goes through a sequence in a folder, from a copy of what was prepared."""
    weights: Mapping[str, float] = field(default_factory=dict)
    length: tuple[int, int] = (6, 24)
    first: tuple[Step, ...] = ()
    last: tuple[Step, ...] = ()

    def sequence(self, seed: str) -> list[Step]:
        """The steps of a seed."""
        dice = random.Random(seed)  # noqa: S311 - no secret
        weights = [self.weights.get(rule, 1.0) for rule in self.rules]
        chosen = dice.choices(self.rules, weights, k=dice.randint(*self.length))
        any_number = range(1000)
        steps: list[Step] = []
        for rule in chosen:
            a, b, c = dice.choices(any_number, k=3)
            steps.append((rule, a, b, c))
        return [*self.first, *steps, *self.last]


@dataclass
class Report:
    """What a run saw."""

    rules: tuple[str, ...]
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
        return [rule for rule in self.rules if not self.seen[rule]]

    def text(self) -> str:
        """The report as printed."""
        others = sorted(self.seen.keys() - set(self.rules))
        lines = [f"{self.seen[rule]:9,}  {rule}" for rule in (*self.rules, *others)]
        lines += [
            f"{self.count:9,}  sequences",
            f"{self.steps:9,}  steps",
            f"{len(self.failures):9,}  fail",
        ]
        for seed, problem in self.failures.items():
            lines += [f"--- {seed}", problem]
        return "\n".join(lines)


class Stage:
    """A folder, in memory where possible, for one sequence after the other."""

    def __init__(self, game: Game) -> None:
        place = str(_MEMORY) if _MEMORY.is_dir() else None
        self._game = game
        self._scratch = tempfile.TemporaryDirectory(prefix="stateful-", dir=place)
        self._root, self._template = (Path(self._scratch.name) / one for one in ("it", "template"))
        game.prepare(self._template)

    def __enter__(self) -> Stage:  # noqa: PYI034 - as above
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def run(self, seed: str, report: Report) -> None:
        """Play the sequence of a seed and add it to a report."""
        steps = self._game.sequence(seed)
        done, problem = self.outcome(steps)
        report.count += 1
        report.steps += len(steps)
        report.seen += Counter(done)
        if problem and len(report.failures) < _KEPT:
            report.failures[seed] = problem

    def outcome(self, steps: Sequence[Step]) -> tuple[list[str], str]:
        """The rules that did something, and what failed."""
        try:
            return self._game.play(self._root, steps, self._template), ""
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


def play_seeds(game: Game, seeds: Iterator[str], *, until: float = float("inf")) -> Report:
    """Play sequences one after the other, until a moment of `time.monotonic`."""
    report = Report(game.rules)
    with Stage(game) as stage:
        for seed in seeds:
            stage.run(seed, report)
            if time.monotonic() > until:
                break
    return report


def play_for(game: Game, seconds: float, *, jobs: int, seed: int) -> Report:
    """Play for a while, in several processes; each takes every so-manieth number."""
    report = Report(game.rules)
    arguments = [(game, seed, first, jobs, seconds) for first in range(jobs)]
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


def _every(game: Game, seed: int, first: int, step: int, seconds: float) -> Report:
    numbers = iter(range(first, sys.maxsize, step))
    until = time.monotonic() + seconds
    return play_seeds(game, (f"{seed}:{number}" for number in numbers), until=until)


def main(game: Game, description: str | None) -> None:
    """What a module of a game does when it is run."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one sequence alone, made as short as it still fails")
    options = parser.parse_args()
    if options.only:
        as_stranger()
        with Stage(game) as stage:
            steps, problem = stage.shortest(game.sequence(options.only))
        sys.stdout.write("\n".join([*map(repr, steps), problem or "all is well"]) + "\n")
        return
    report = play_for(game, options.minutes * 60, jobs=options.jobs, seed=options.seed)
    sys.stdout.write(f"{report.text()}\n")
    sys.exit(bool(report.failures or report.missing()))
