"""What a command takes: CPU, wall and peak memory, and two of them side by side."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_FIGURES = (("cpu s", "cpu"), ("wall s", "wall"), ("peak MiB", "peak_mib"))


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of a command took, its children included; memory is that of the largest."""

    cpu: float
    wall: float
    peak_mib: float


def measure(command: Sequence[str], work: Path, environment: Mapping[str, str]) -> Measured:
    """Run a command that must succeed."""
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=work,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return Measured(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def report(title: str, ours: Sequence[Measured], peers: Sequence[Measured]) -> None:
    """Print medians, spreads and ratios."""
    print(f"\n{title}: {len(ours)} runs each, medians (least to most)")
    for label, of in _FIGURES:
        mine = sorted(getattr(one, of) for one in ours)
        theirs = sorted(getattr(one, of) for one in peers)
        ratio = statistics.median(theirs) / max(statistics.median(mine), 1e-9)
        print(f"  {label:9} ours {_spread(mine)}  peer {_spread(theirs)}  ratio {ratio:.1f}")


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):8.2f} ({values[0]:.2f} to {values[-1]:.2f})"
