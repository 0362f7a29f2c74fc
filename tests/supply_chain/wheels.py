"""Packages that are equal to the byte when they are built again: elsewhere, later, by others."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from .requirements import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_NOT_OURS = shutil.ignore_patterns(
    *(
        ".git",
        ".venv*",
        ".demo",
        ".conformance",
        ".*_cache",
        ".hypothesis",
        "__pycache__",
        "dist",
        "site",
    )
)


def built(folder: Path, *, time_zone: str, umask: int, age: float) -> dict[str, str]:
    """Build wheel and source archive from a copy of the sources; their digests by name."""
    source, target = folder / "source", folder / "dist"
    shutil.copytree(ROOT, source, ignore=_NOT_OURS, symlinks=True)
    _make_older(source, age)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target)],
        cwd=source,
        # Dates in the packages are SOURCE_DATE_EPOCH, or the one that hatchling always takes.
        env={**os.environ, "TZ": time_zone},
        umask=umask,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(target.iterdir())
    }


def _make_older(folder: Path, age: float) -> None:
    moment = time.time() - age
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (moment, moment), follow_symlinks=False)
