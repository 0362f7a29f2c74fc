"""Ours and the peer in turn, on the same cluster: CPU, wall and peak memory, as ratios.

Machines are noisy: only what runs side by side in one call may be compared.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.demo import write_demo
from tests.e2e.peer import clean_environment, find_peer, serve_facts, write_jb

from .measuring import Measured, measure, report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OURS = (sys.executable, "-m", "commodore_py")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A command, and what is done to its work folder before each run."""

    name: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]


def main() -> None:
    """Measure every scenario, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--generator", type=Path, help="gen_cluster.py, for larger clusters")
    parser.add_argument("--size", default="S", help="size for the generator (default: S)")
    options = parser.parse_args()
    try:
        peer = find_peer()
    except pytest.skip.Exception as reason:
        sys.exit(f"nothing to compare with: {reason}")
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
        root = Path(scratch)
        with _cluster(root, options.generator, options.size) as (api_url, cluster):
            for scenario in _scenarios(cluster):
                _compare(scenario, root, peer, api_url, options.runs)


def _scenarios(cluster: str) -> tuple[Scenario, ...]:
    compile_ = ("catalog", "compile", cluster)
    return (
        Scenario("help", ("--help",), _keep),
        Scenario("cold", compile_, _empty),
        Scenario("warm", compile_, _keep),
        Scenario("local", (*compile_, "--local", "--no-fetch-dependencies"), _keep),
    )


def _keep(work: Path) -> None:
    work.mkdir(parents=True, exist_ok=True)


def _empty(work: Path) -> None:
    # Cold is an empty work folder and an empty user cache.
    for folder in (work, _home_of(work)):
        shutil.rmtree(folder, ignore_errors=True)
    work.mkdir(parents=True)


@contextmanager
def _demo(root: Path) -> Iterator[tuple[str, str]]:
    demo = root / "demo"
    written = write_demo(demo)
    with serve_facts(demo / "facts") as server:
        yield server.url, written.clusters[0]


@contextmanager
def _generated(root: Path, generator: Path, size: str) -> Iterator[tuple[str, str]]:
    generate = [sys.executable, str(generator)]
    cluster = root / "cluster"
    subprocess.run([*generate, "gen", "--root", str(cluster), "--size", size], check=True)
    port = "18911"
    server = subprocess.Popen([*generate, "serve", "--root", str(cluster), "--port", port])
    try:
        time.sleep(1)
        yield f"http://127.0.0.1:{port}", "c-perf-0001"
    finally:
        server.terminate()
        server.wait()


def _cluster(
    root: Path, generator: Path | None, size: str
) -> AbstractContextManager[tuple[str, str]]:
    return _generated(root, generator, size) if generator else _demo(root)


def _compare(scenario: Scenario, root: Path, peer: Path, api_url: str, runs: int) -> None:
    ours, peers = [], []
    for _ in range(runs):
        ours.append(_measure(_OURS, scenario, root / "ours", api_url))
        peers.append(_measure((str(peer),), scenario, root / "peers", api_url))
    report(scenario.name, ours, peers)


def _home_of(work: Path) -> Path:
    return work.with_name(f"{work.name}-home")


def _measure(program: tuple[str, ...], scenario: Scenario, work: Path, api_url: str) -> Measured:
    scenario.prepare(work)
    home = _home_of(work)
    environment = clean_environment(home)
    environment |= {
        "COMMODORE_API_URL": api_url,
        "COMMODORE_API_TOKEN": "made-up",
        "PATH": f"{write_jb(home / 'bin')}{os.pathsep}{environment['PATH']}",
    }
    return measure((*program, *scenario.arguments), work, environment)


if __name__ == "__main__":
    main()
