"""CPU of rendering an inventory, ours against reclass-rs: `python -m tests.bench.inventory FOLDER`.

From files on disk to the parameters of every target. Every run is a process of its own, the two
engines take turns, and what counts is the median.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.reader import read
from commodore_py.inventory.engine.render import Engine
from tests.differential.engines import exactly

# A reference run that takes longer is done once.
_LONG = 60.0
_FIELDS = ("applications", "classes", "parameters")


def ours(folder: Path, share: float) -> tuple[float, dict[str, Any]]:
    """CPU seconds of our engine, and every target's node; optionally of the first targets only."""
    start = time.process_time()
    engine = Engine(ClassFiles([("", folder / "classes")]), missing_ok=False)
    files = sorted((folder / "targets").iterdir())
    nodes = {
        file.stem: engine.render_content(file.stem, read(file.read_bytes(), name=str(file)), "").raw
        for file in files[: max(1, round(len(files) * share))]
    }
    return time.process_time() - start, nodes


def reference(folder: Path, _share: float) -> tuple[float, dict[str, Any]]:
    """CPU seconds of reclass-rs, all threads together, and every target's node."""
    import reclass_rs  # only in the process that measures it

    start = time.process_time()
    reclass = reclass_rs.Reclass(
        nodes_path=f"{folder}/targets",
        classes_path=f"{folder}/classes",
        ignore_class_notfound=False,
    )
    nodes: dict[str, Any] = reclass.inventory().as_dict()["nodes"]
    return time.process_time() - start, nodes


_ENGINES = {"ours": ours, "reference": reference}


def _measure(engine: str, folder: Path, share: float) -> None:
    seconds, nodes = _ENGINES[engine](folder, share)
    digests = {name: _digest(node) for name, node in nodes.items()}
    print(json.dumps({"seconds": seconds, "targets": digests}))


def _digest(node: dict[str, Any]) -> str:
    alike = repr([exactly(node[field]) for field in _FIELDS])
    return hashlib.sha256(alike.encode("utf-8", "surrogatepass")).hexdigest()


def _run(engine: str, folder: Path, share: float = 1.0) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.inventory", "--measure", engine, str(folder)]
    done = subprocess.run(
        [*command, "--share", str(share)], check=True, stdout=subprocess.PIPE, cwd=_ROOT
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


_ROOT = Path(__file__).parents[2]


def compare(folder: Path, *, runs: int, kept: Path | None) -> None:
    """Print the figures of one inventory; a reference result may be stored for the next time."""
    known = json.loads(kept.read_text()) if kept and kept.exists() else {}
    mine, theirs = [], list(known.get(str(folder), ()))
    for _ in range(runs):
        mine.append(_run("ours", folder))
        if not theirs or (len(theirs) < runs and theirs[0]["seconds"] < _LONG):
            theirs.append(_run("reference", folder))
    if kept:
        kept.write_text(json.dumps({**known, str(folder): theirs}))
    our_seconds = statistics.median(run["seconds"] for run in mine)
    their_seconds = statistics.median(run["seconds"] for run in theirs)
    wrong = [
        name
        for name, digest in theirs[0]["targets"].items()
        if mine[0]["targets"].get(name) != digest
    ]
    print(f"{folder}: {len(theirs[0]['targets'])} targets, {len(wrong)} not equal {wrong[:5]}")
    print(f"  ours       {our_seconds:8.3f} s (median of {len(mine)})")
    print(f"  reclass-rs {their_seconds:8.3f} s (median of {len(theirs)})")
    print(f"  1/{their_seconds / our_seconds:.0f}")
    for share in (0.25, 0.5, 0.75):
        part = [_run("ours", folder, share) for _ in range(runs)]
        seconds = statistics.median(run["seconds"] for run in part)
        print(f"  {len(part[0]['targets']):6} targets {seconds:8.3f} s")


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kept", type=Path, help="where to keep the results of reclass-rs")
    parser.add_argument("--measure", choices=_ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--share", type=float, default=1.0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for folder in options.folders:
        if options.measure:
            _measure(options.measure, folder.resolve(), options.share)
        else:
            compare(folder.resolve(), runs=options.runs, kept=options.kept)


if __name__ == "__main__":
    _main()
