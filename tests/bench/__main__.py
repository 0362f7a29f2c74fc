"""Ours and the peer in turn, on clusters of several sizes: CPU, wall, memory, and their ratios.

Machines are noisy: only what runs side by side in one call may be compared. After each pair of
runs their bytes are compared. `--json FILE` keeps the figures; with `--append`, those of other
clusters that are in it stay, so that sizes can be measured one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.peer import PEER_VERSION, find_peer

from . import tables
from .generated import ALONE, HTTP, SIZES, generated
from .least import least
from .playground import TOOLS, missing_programs, playground
from .program import copied
from .rounds import Plan, Rounds
from .scenarios import COMPONENT_TEST, HELP, SCENARIOS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .cluster import Cluster
    from .rounds import Result

_ONCE = (HELP, COMPONENT_TEST)  # the size of a cluster does not matter
_MEASURED_ANYWAY = (*_ONCE, "cold", "warm")


def main() -> None:
    """Measure, and print what was found as it is found."""
    options = _options()
    try:
        peer = find_peer()
    except pytest.skip.Exception as reason:
        sys.exit(f"nothing to compare with: {reason}")
    about = _about()
    commit = _commit()
    print(", ".join([*about.values(), commit]))
    wanted = [one for one in SCENARIOS if one.name in options.scenarios]
    found: list[tables.Figures] = _kept(options)
    once = list(_ONCE)
    with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
        root = (options.root or Path(scratch)).resolve()
        ours = copied(Path(scratch).resolve() / "program")
        for name in options.sizes:
            if name == TOOLS and (missing := missing_programs()):
                print(f"\n{TOOLS}: left out, as these programs are missing: {', '.join(missing)}")
                continue
            plan = _plan(options, name)
            with (
                tempfile.TemporaryDirectory(prefix=f"{name}-", dir=scratch) as work,
                _cluster(name, root) as served,
            ):
                here = [one for one in wanted if one.name not in _ONCE or one.name in once]
                rounds = Rounds(served, Path(work).resolve(), ours, peer, plan)
                for result in rounds.results(here):
                    if result.scenario.name in once:
                        once.remove(result.scenario.name)
                    figures = {**_data(result), "commit": commit}
                    print("\n".join(tables.as_text(figures)), flush=True)
                    found = [*(one for one in found if not _same(one, figures)), figures]
                    _keep(options, found, about)
                    took = least(rounds.ours, result.scenario.name).items()
                    if took:
                        each = ", ".join(f"{what} {seconds:.3f}" for what, seconds in took)
                        print(f"  the least that is possible, CPU s: {each}", flush=True)
    found.sort(key=_order)
    if grown := "\n".join(tables.growth(found)):
        print(f"\n{grown}")
    if options.markdown:
        text = "\n".join(tables.markdown(found, about)) + "\n"
        options.markdown.write_text(text, encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="COMMODORE_PEER names an installed peer, else it is installed into a venv of its"
        " own;\nCOMMODORE_GENERATOR names gen_cluster.py.",
    )
    sizes = (*SIZES, HTTP, TOOLS)
    names = [one.name for one in SCENARIOS]
    add = parser.add_argument
    add(
        "--sizes",
        nargs="*",
        choices=sizes,
        default=[one for one in sizes if one not in ALONE],
        help="default: all but X, which takes long; with none, the tables are made of"
        " what is in the file",
    )
    add("--scenarios", nargs="+", choices=names, default=names, help="default: all")
    add("--runs", nargs="+", default=["3"], metavar="[SIZE=]N", help="ours (default: 3)")
    add(
        "--peer-runs",
        nargs="+",
        default=["3", "L=1", "X=0"],
        metavar="[SIZE=]N",
        help="of the peer (default: 3 L=1 X=0)",
    )
    add(
        "--reuse",
        nargs="*",
        choices=sizes,
        default=["L"],
        help="sizes at which the peer runs cold and warm only, and is taken to cost as much in"
        " the other scenarios: it has no incremental mode (default: L)",
    )
    add("--pause", type=float, default=2.5, help="seconds before each run (default: 2.5)")
    add("--ours", default="", metavar="OPTIONS", help="more options for our compiles")
    add("--root", type=Path, metavar="DIR", help="keep generated clusters there, and use them")
    add("-o", "--json", type=Path, metavar="FILE", help="write all figures to FILE")
    add("--append", action="store_true", help="keep what else is in that file")
    add("--markdown", type=Path, metavar="FILE", help="write tables for the documentation")
    return parser.parse_args()


def _cluster(name: str, root: Path) -> AbstractContextManager[Cluster]:
    return playground(root / name) if name == TOOLS else generated(root / name, name)


def _plan(options: argparse.Namespace, name: str) -> Plan:
    plan = Plan(
        runs=_number(options.runs, name),
        peer_runs=_number(options.peer_runs, name),
        peer_in=tuple(one.name for one in SCENARIOS),
        pause=options.pause,
        options=tuple(options.ours.split()),
    )
    if name in ALONE:
        return replace(plan, peer_in=())
    return replace(plan, peer_in=_MEASURED_ANYWAY) if name in options.reuse else plan


def _number(given: list[str], name: str) -> int:
    known = {size: number for size, _, number in (word.rpartition("=") for word in given)}
    return int(known.get(name, known.get("", "3")))


def _about() -> dict[str, str]:
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "cores": f"{os.cpu_count()} cores ({_processor()}, {platform.system()})",
        "python": f"Python {platform.python_version()}",
        "peer": f"Commodore {PEER_VERSION}",
    }


def _commit() -> str:
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(git, capture_output=True, check=False, text=True).stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _data(result: Result) -> tables.Figures:
    return {
        "cluster": result.cluster,
        "size": result.cluster in SIZES,
        "instances": result.instances,
        "scenario": result.scenario.name,
        "about": result.scenario.about,
        "ours": [run.as_data() for run in result.ours],
        "peer": [run.as_data() for run in result.peer],
        "peer_as_in": result.peer_as_in,
        "compared": result.compared,
    }


def _same(one: tables.Figures, other: tables.Figures) -> bool:
    if one["scenario"] in _ONCE:
        return bool(one["scenario"] == other["scenario"])
    return (one["cluster"], one["scenario"]) == (other["cluster"], other["scenario"])


def _order(one: tables.Figures) -> tuple[int, int]:
    names = [scenario.name for scenario in SCENARIOS]
    return (*SIZES, HTTP, TOOLS).index(one["cluster"]), names.index(one["scenario"])


def _kept(options: argparse.Namespace) -> list[tables.Figures]:
    if not (options.append and options.json and options.json.is_file()):
        return []
    content: dict[str, Any] = json.loads(options.json.read_text("utf-8"))
    return list(content["results"])


def _keep(options: argparse.Namespace, found: list[tables.Figures], about: dict[str, str]) -> None:
    if options.json:
        content = {"schema": "bench/v1", **about, "results": found}
        options.json.write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
