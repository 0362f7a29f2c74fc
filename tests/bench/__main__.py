"""Ours and Commodore in turn, on clusters of several sizes: CPU, wall, memory, and their ratios.

Machines are noisy: only what runs side by side in one call may be compared. After each pair of
runs their bytes are compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.commodore import find_commodore

from .generated import ALONE, HTTP, SIZES, generated
from .measuring import Spread
from .program import copied
from .rounds import Plan, Rounds
from .scenarios import FLOORS, HELP, SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rounds import Result

_FIELDS = {"cpu": "CPU s", "wall": "wall s", "peak_mib": "MiB", "tree_mib": "MiB of all"}


def main() -> None:
    """Measure, and print each result when it is there."""
    options = _options()
    try:
        peer = find_commodore()
    except pytest.skip.Exception as reason:
        sys.exit(f"nothing to compare with: {reason}")
    scenarios = [one for one in SCENARIOS if one.name in options.scenarios]
    with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
        root = (options.root or Path(scratch)).resolve()
        ours = copied(Path(scratch).resolve() / "program")
        for size in options.sizes:
            plan = Plan(
                runs=options.runs,
                peer_runs=0 if size in ALONE else options.peer_runs,
                peer_in=(HELP, "cold", "warm") if size == "L" else [one.name for one in scenarios],
            )
            with (
                tempfile.TemporaryDirectory(prefix=f"{size}-", dir=scratch) as work,
                generated(root / size, size) as cluster,
            ):
                rounds = Rounds(cluster, Path(work).resolve(), ours, peer, plan)
                for result in rounds.results(scenarios):
                    print("\n".join(_as_text(result)), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="COMMODORE_PEER names an installed Commodore, else it is installed into a venv of"
        " its own;\nCOMMODORE_GENERATOR names gen_cluster.py.",
    )
    sizes, names = (*SIZES, HTTP), [one.name for one in SCENARIOS]
    add = parser.add_argument
    add("--sizes", nargs="+", choices=sizes, default=[HTTP], help=f"default: {HTTP}")
    add("--scenarios", nargs="+", choices=names, default=names, help="default: all")
    add("--runs", type=int, default=3, metavar="N", help="ours (default: 3)")
    add("--peer-runs", type=int, default=3, metavar="N", help="Commodore's (default: 3)")
    add("--root", type=Path, metavar="DIR", help="keep generated clusters there, and use them")
    return parser.parse_args()


def _as_text(result: Result) -> Iterator[str]:
    remarks = [f"the same bytes {result.compared} times"] if result.compared else []
    remarks += [f"Commodore as in {result.peer_as_in}"] if result.peer_as_in else []
    about = f" ({', '.join(remarks)})" if remarks else ""
    yield f"\n{result.cluster}, {result.scenario.name}: {result.scenario.about}{about}"
    floors = FLOORS.get((result.cluster, result.scenario.name), ())
    for field, label in _FIELDS.items():
        ours = Spread.of(run.as_data()[field] for run in result.ours)
        line = f"  {label:10} ours {ours!s:28}"
        if result.peer:
            peer = Spread.of(run.as_data()[field] for run in result.peer)
            line += f" Commodore {peer!s:28} ratio {peer.median / max(ours.median, 1e-9):8.1f}"
        floor = dict(zip(_FIELDS, floors, strict=False)).get(field)
        yield line + (f"  floor {floor}" if floor else "")


if __name__ == "__main__":
    main()
