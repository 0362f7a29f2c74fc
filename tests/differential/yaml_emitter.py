"""Generated documents through our YAML emitter and PyYAML's.

Run it as `python -m tests.differential.yaml_emitter --seconds 60 --jobs 2 --seed N`.

Every stream of documents has a seed of its own (`<seed>:<number>`), so that one alone can be run
again, with `--only`. Each is written in some of the styles.
"""

from __future__ import annotations

import argparse
import difflib
import multiprocessing
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from . import yaml_features as features
from .yaml_oracle import WRITERS, ours, theirs
from .yaml_smaller import shrunk
from .yaml_values import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .yaml_oracle import Writer

_KEPT = 10
_STYLES = 3


@dataclass
class Report:
    """What a run saw."""

    streams: int = 0
    documents: int = 0
    """Counted once, however many styles they are written in."""
    written: int = 0
    """Streams in a style that PyYAML writes."""
    characters: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    """How many streams hold a feature and are written, or refused, by both."""
    differences: dict[str, str] = field(default_factory=dict)
    """By seed and style, the smallest documents that differ, and how."""

    def __iadd__(self, other: Report) -> Report:  # noqa: PYI034 - mypy's Self would not pickle
        self.streams += other.streams
        self.documents += other.documents
        self.written += other.written
        self.characters += other.characters
        self.seen += other.seen
        self.differences |= other.differences
        return self

    def missing(self) -> list[str]:
        """Features that no stream showed."""
        return [name for name in features.ALL if not self.seen[name]]

    def text(self) -> str:
        """The report as printed."""
        lines = [f"{self.seen[name]:11,}  {name}" for name in features.ALL]
        lines += [
            f"{self.streams:11,}  streams, each in {_STYLES} of {len(WRITERS)} styles",
            f"{self.documents:11,}  documents in them",
            f"{self.written:11,}  streams written",
            f"{self.characters:11,}  characters written",
            f"{len(self.differences):11,}  differ",
        ]
        for name, difference in self.differences.items():
            lines += [f"--- {name}", difference]
        return "\n".join(lines)


def compare_seeds(seeds: Iterable[str], *, until: float = float("inf")) -> Report:
    """Run streams one after the other, until a moment of `time.monotonic`."""
    report = Report()
    for seed in seeds:
        _compare(seed, report)
        if time.monotonic() > until:
            break
    return report


def compare_for(seconds: float, *, jobs: int, seed: int) -> Report:
    """Run streams for a while, in several processes; each takes every so-manieth number."""
    report = Report()
    arguments = [(seed, first, jobs, seconds) for first in range(jobs)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for part in pool.starmap(_every, arguments):
            report += part
    return report


def _every(seed: int, first: int, step: int, seconds: float) -> Report:
    until = time.monotonic() + seconds
    return compare_seeds((f"{seed}:{number}" for number in count(first, step)), until=until)


def _compare(seed: str, report: Report) -> None:
    made = documents(seed)
    found: set[str] = set()
    refusals = 0
    names = random.Random(seed).sample(sorted(WRITERS), _STYLES)  # noqa: S311 - no secret
    for name in names:
        writer = WRITERS[name]
        expected = theirs(made, writer)
        if expected != ours(made, writer):
            if len(report.differences) < _KEPT:
                report.differences[f"{seed} {name}"] = _explained(made, writer)
            continue
        if expected is None:
            refusals += 1
            continue
        report.written += 1
        report.characters += len(expected)
        found |= features.of_output(expected)
    if refusals < _STYLES:
        found |= features.of_values(made)
    if refusals:
        found.add("refused" if refusals == _STYLES else "only aliases can write it")
    report.streams += 1
    report.documents += len(made)
    report.seen.update(found)


def _explained(made: list[object], writer: Writer) -> str:
    made = shrunk(made, lambda less: theirs(less, writer) != ours(less, writer))
    expected, actual = theirs(made, writer), ours(made, writer)
    if expected is None or actual is None:
        ends = "PyYAML refuses, ours writes" if expected is None else "PyYAML writes, ours refuses"
        return f"{made!r:.2000}\n{ends}"
    before, after = ([repr(line) for line in text.split("\n")] for text in (expected, actual))
    lines = difflib.unified_diff(before, after, "PyYAML", "ours", lineterm="")
    return "\n".join([f"{made!r:.2000}", *lines])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the seed of one stream alone")
    options = parser.parse_args()
    if options.only:
        report = compare_seeds([options.only])
    else:
        report = compare_for(options.seconds, jobs=options.jobs, seed=options.seed)
    sys.stdout.buffer.write(f"{report.text()}\n".encode(errors="backslashreplace"))
    sys.exit(bool(report.differences or (report.missing() and not options.only)))


if __name__ == "__main__":
    _main()
