"""Generated hierarchies through our engine and reclass-rs.

Run it as `python -m tests.differential.inventory --minutes 30 --jobs 2 --seed N`.

Every hierarchy has a seed of its own (`<seed>:<number>`), so that one alone can be run again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from . import rules
from .engines import difference
from .hierarchies import hierarchy
from .oracle import Oracle
from .yaml_text import Hierarchy, smaller

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, where there is one
_KEPT = 10
_ATTEMPTS = 3000


@dataclass
class Report:
    """What a run saw."""

    count: int = 0
    rendered: int = 0
    crashed: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    """How many hierarchies hold a rule and end the way that the rule is about."""
    differences: dict[str, list[str]] = field(default_factory=dict)
    """By seed, where our engine parts from the oracle."""

    def __iadd__(self, other: Report) -> Report:  # noqa: PYI034 - mypy's Self would not pickle
        self.count += other.count
        self.rendered += other.rendered
        self.crashed += other.crashed
        self.seen += other.seen
        self.differences |= other.differences
        return self

    def missing(self) -> list[str]:
        """Rules that no hierarchy showed."""
        return [rule for rule in rules.ALL if not self.seen[rule]]

    def text(self) -> str:
        """The report as printed."""
        lines = [f"{self.seen[rule]:9,}  {rule}" for rule in rules.ALL]
        share = 100 * self.rendered / max(self.count, 1)
        lines += [
            f"{self.count:9,}  hierarchies",
            f"{self.rendered:9,}  of them render ({share:.1f} %)",
            f"{self.crashed:9,}  of them crash reclass-rs",
            f"{len(self.differences):9,}  differ",
        ]
        for seed, differences in self.differences.items():
            lines += [f"--- {seed}", *differences]
        return "\n".join(lines)


class Comparison:
    """Writes hierarchies to disk, in memory where possible, and has both engines read them."""

    def __init__(self) -> None:
        place = str(_MEMORY) if _MEMORY.is_dir() else None
        self._scratch = tempfile.TemporaryDirectory(prefix="differential-", dir=place)
        self._oracle = Oracle()
        self._number = 0

    def __enter__(self) -> Comparison:  # noqa: PYI034 - as above
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.__exit__(None, None, None)
        self._scratch.cleanup()

    def run(self, seed: str, report: Report) -> None:
        """Compare the hierarchy of a seed and add it to a report."""
        made = hierarchy(seed)
        ends, differences = self.compare(made)
        report.count += 1
        report.rendered += ends == {"rendered"}
        report.crashed += "crashed" in ends
        for rule in made.rules:
            wanted = "rendered" if rule in rules.RENDERS else "refused"
            if wanted in ends or rule in rules.EITHER or "crashed" in ends - {wanted}:
                report.seen[rule] += 1
        if differences and len(report.differences) < _KEPT:
            report.differences[seed] = differences

    def compare(self, made: Hierarchy) -> tuple[set[str], list[str]]:
        """How the oracle's targets end, and where ours end otherwise."""
        self._number += 1
        folder = Path(self._scratch.name) / str(self._number)
        write(made, folder)
        theirs, differences = difference(folder, self._oracle, missing_ok=made.missing_ok)
        shutil.rmtree(folder)
        return {kind for kind, _ in theirs.values()}, differences

    def shrunk(self, made: Hierarchy) -> Hierarchy:
        """The smallest hierarchy found that still differs."""
        attempts = 0
        found = True
        while found and attempts < _ATTEMPTS:
            found = False
            for less in smaller(made):
                attempts += 1
                if self.compare(less)[1]:
                    made, found = less, True
                    break
        return made


def write(made: Hierarchy, folder: Path) -> None:
    """Write the files of a hierarchy."""
    for name in ("classes", "targets"):
        (folder / name).mkdir(parents=True)
    for path, file in made.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.written())
    for path, target in made.links.items():
        (folder / path).symlink_to(target)


def compare_seeds(seeds: Iterator[str], *, until: float = float("inf")) -> Report:
    """Run hierarchies one after the other, until a moment of `time.monotonic`."""
    report = Report()
    with Comparison() as comparison:
        for seed in seeds:
            comparison.run(seed, report)
            if time.monotonic() > until:
                break
    return report


def compare_for(seconds: float, *, jobs: int, seed: int) -> Report:
    """Run hierarchies for a while, in several processes; each takes every so-manieth number."""
    report = Report()
    arguments = [(seed, first, jobs, seconds) for first in range(jobs)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for part in pool.starmap(_every, arguments):
            report += part
    return report


def _every(seed: int, first: int, step: int, seconds: float) -> Report:
    numbers = iter(range(first, sys.maxsize, step))
    until = time.monotonic() + seconds
    return compare_seeds((f"{seed}:{number}" for number in numbers), until=until)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one hierarchy alone, made as small as it still differs")
    parser.add_argument("--into", type=Path, help="where to write that hierarchy")
    options = parser.parse_args()
    if options.only:
        _one(options.only, options.into)
        return
    report = compare_for(options.minutes * 60, jobs=options.jobs, seed=options.seed)
    sys.stdout.write(f"{report.text()}\n")
    sys.exit(bool(report.differences or report.missing()))


def _one(seed: str, into: Path | None) -> None:
    with Comparison() as comparison:
        made = hierarchy(seed)
        ends, differences = comparison.compare(made)
        if differences:
            made = comparison.shrunk(made)
            ends, differences = comparison.compare(made)
    lines = [f"--- {path}\n{file.written().decode()}" for path, file in made.files.items()]
    lines += [f"--- links {made.links}, missing_ok={made.missing_ok}", str(ends), *differences]
    sys.stdout.write("\n".join(lines) + "\n")
    if into:
        write(made, into)


if __name__ == "__main__":
    _main()
