"""Fuzz doors for a while, and print the figures: `python -m tests.fuzz --seconds 60 archives`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DOORS = Path(__file__).resolve().parent / "doors"


def main() -> int:
    """Run the tests of the doors with a budget, and print a table and the crashes."""
    doors = sorted(file.stem.removeprefix("test_") for file in DOORS.glob("test_*.py"))
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"some of {', '.join(doors)}")
    parser.add_argument("--seconds", type=float, default=60, help="for each door")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        environment = {
            **os.environ,
            "FUZZ_SECONDS": str(options.seconds),
            "FUZZ_SEED": str(options.seed),
            "FUZZ_REPORT": str(report),
        }
        files = [str(DOORS / f"test_{door}.py") for door in options.doors or doors]
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(options.jobs), *files]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        lines = report.read_text().splitlines() if report.exists() else []
    figures = sorted((json.loads(line) for line in lines), key=lambda one: str(one["door"]))
    for one in figures:
        print(
            f"{one['door']:<14}{one['inputs']:>9} inputs {one['seconds']:>8} s  {one['outcomes']}"
        )
    for one in figures:
        for name, crash in one["crashes"].items():
            print(f"\n## {one['door']}: {name} (seed {crash['seed']})\n{crash['case']}")
            print("\n".join(crash["story"].splitlines()[-8:]))
    total = sum(one["inputs"] for one in figures)
    print(f"\n{total} inputs, {sum(len(one['crashes']) for one in figures)} kinds of crashes")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
