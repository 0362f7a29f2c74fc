"""The fetch stage alone, ours and the peer's in turn, on a cluster in which nothing changed.

The peer is watched from outside: its headings on stdout say when it begins and ends to fetch, and
at each the CPU time of the process and of all children that it waited for is read. Counted are the
configurations and the components; packages, which it checks out between two inventories, are not.
Ours is what `fetch` does in gather for the same two, measured around the calls.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.config import Config, WorkPaths
from commodore_py.dependencies.discover import (
    wanted_components,
    wanted_configuration,
    wanted_packages,
)
from commodore_py.dependencies.fetch import fetcher
from commodore_py.inventory.resolve import resolve_bootstrap
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.model.classpath import ClassPath
from tests.support.peer import clean_environment, find_peer, write_jb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.dependency import Dependency, DependencySpec

# Headings of the peer: what follows the first is counted until the second comes.
_STAGES = (
    ("Updating global config", "Discovering config packages"),
    ("Fetching components", "Updating Kapitan target"),
)


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds that something took."""

    cpu: float = 0.0
    wall: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.cpu + other.cpu, self.wall + other.wall)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.cpu - other.cpu, self.wall - other.wall)


def main() -> None:
    """Fetch in turn, and print medians and their ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fetch", description=__doc__)
    parser.add_argument("--api-url", required=True, help="server of a generated cluster")
    parser.add_argument("--cluster", default="c-perf-0001")
    parser.add_argument(
        "--scratch", type=Path, required=True, help="holds both working directories"
    )
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    peer, root = find_peer(), options.scratch.resolve()
    # The first run's one-time work is not measured in the others; nor are files just written.
    for _ in range(2):
        _fetch_ours(options.api_url, options.cluster, root / "ours")
        time.sleep(3)
    _fetch_as_peer(peer, options.api_url, options.cluster, root / "peer")
    ours, peers = [], []
    for _ in range(options.runs):
        ours.append(_fetch_ours(options.api_url, options.cluster, root / "ours"))
        peers.append(_fetch_as_peer(peer, options.api_url, options.cluster, root / "peer"))
    for name in ("cpu", "wall"):
        mine = statistics.median(getattr(one, name) for one in ours)
        theirs = statistics.median(getattr(one, name) for one in peers)
        print(f"{name:5} ours {mine:.3f} s  peer {theirs:.3f} s  ratio {theirs / mine:.1f}")


def _fetch_ours(api_url: str, cluster_id: str, work: Path) -> Spent:
    """The first half of `pipeline.gather`, with a watch around each fetch."""
    work.mkdir(parents=True, exist_ok=True)
    config = Config(paths=WorkPaths(work), api_url=api_url, api_token="made-up")
    fetch, spent = fetcher(config), Spent()

    def watched(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        nonlocal spent
        before = _spent_here()
        found = fetch(specs)
        spent += _spent_here() - before
        return found

    cluster = load_cluster(config, cluster_id)
    classes = ClassPath(watched(wanted_configuration(cluster)))
    node = resolve_bootstrap(config, cluster, classes, missing_ok=True)
    classes = classes.plus(fetch(wanted_packages(node)))
    node = resolve_bootstrap(config, cluster, classes)
    watched(wanted_components(node))
    return spent


def _spent_here() -> Spent:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Spent(sum(u.ru_utime + u.ru_stime for u in usages), time.monotonic())


def _fetch_as_peer(peer: Path, api_url: str, cluster: str, work: Path) -> Spent:
    """Compile until the components are fetched."""
    work.mkdir(parents=True, exist_ok=True)
    home = work.with_name("peer-home")
    environment = clean_environment(home) | {
        "COMMODORE_API_URL": api_url,
        "COMMODORE_API_TOKEN": "made-up",
        "PYTHONUNBUFFERED": "1",
    }
    environment["PATH"] = f"{write_jb(home / 'bin')}{os.pathsep}{environment['PATH']}"
    command = [str(peer), "catalog", "compile", cluster]
    spent, since, stages = Spent(), Spent(), list(_STAGES)
    with subprocess.Popen(
        command,
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            if line.startswith(stages[0][0]):
                since = _spent_by(process.pid)
            elif since.wall and line.startswith(stages[0][1]):
                spent += _spent_by(process.pid) - since
                since = Spent()
                stages.pop(0)
            if not stages:
                process.terminate()
                return spent
    sys.exit("the peer ended before it had fetched everything")


def _spent_by(process: int) -> Spent:
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    ticks = sum(int(field) for field in fields[11:15])  # own and children's, user and system
    return Spent(ticks / os.sysconf("SC_CLK_TCK"), time.monotonic())


if __name__ == "__main__":
    main()
