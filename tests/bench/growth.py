"""What an instance costs in a large cluster, against a smaller one: first runs of both in turn.

Each run of the large cluster lies between runs of the smaller one, as many as have its instances,
and is compared with their mean: machines become slower with time, and under a load that lasts.
Ours alone, as the peer takes hours.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from .generated import SIZES, generated
from .program import copied, fill_catalog, ours

if TYPE_CHECKING:
    from .program import Program


def main() -> None:
    """Measure, and print the figures as they are found."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    add = parser.add_argument
    add("--sizes", nargs=2, choices=SIZES, default=["L", "X"], help="default: L X")
    add("--runs", type=int, default=3, help="of the large cluster (default: 3)")
    add("--pause", type=float, default=2.5, help="seconds before each run (default: 2.5)")
    add("--root", type=Path, metavar="DIR", help="keep generated clusters there, and use them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
        work = Path(scratch).resolve()
        root = (options.root or work / "clusters").resolve()
        copy = copied(work / "program")
        small, large = options.sizes
        with generated(root / small, small) as one, generated(root / large, large) as other:
            programs = [ours(cluster, work / cluster.name, copy) for cluster in (one, other)]
            _compare(*programs, runs=options.runs, pause=options.pause)


def _compare(small: Program, large: Program, *, runs: int, pause: float) -> None:
    for program in (small, large):
        fill_catalog(program, program.root / "first")
    print(f"{os.cpu_count()} cores; first runs, CPU ms per instance", flush=True)
    several = round(large.cluster.instances / small.cluster.instances)
    beside, of_large, ratios = [_first_runs(small, several, pause)], [], []
    for _ in range(runs):
        of_large.append(_first_runs(large, 1, pause))
        beside.append(_first_runs(small, several, pause))
        ratios.append(of_large[-1] / mean(beside[-2:]))
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    names = f"{large.cluster.name} against {small.cluster.name}"
    print(f"{names}: {each} beside each other, {median(of_large) / median(beside):.2f} by medians")


def _first_runs(program: Program, several: int, pause: float) -> float:
    """What an instance costs, with nothing of an earlier run."""
    time.sleep(pause)
    taken = []
    for _ in range(several):
        program.empty()
        taken.append(program.compile())
    instances = program.cluster.instances
    each = [1000 * one.cpu / instances for one in taken]
    runs = ", ".join(f"{one.cpu:.1f} s" for one in taken)
    most = max(one.peak_mib for one in taken)
    print(f"{program.cluster.name}: {mean(each):.1f} ({runs}; {most:.0f} MiB)", flush=True)
    return mean(each)


if __name__ == "__main__":
    main()
