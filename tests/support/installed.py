"""Programs that tests install once per user; several test processes may want one at once."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 600

INSTALLED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "commodore-py-tests"
ENVIRONMENT = dict(os.environ)
"""The cache and the environment of the user, before a test has its own, without a network."""


@contextmanager
def installing(home: Path) -> Iterator[None]:
    """Nobody else installs into that folder meanwhile; look afterwards whether it is done."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with home.with_name(f"{home.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(python: Path, *arguments: str) -> bool:
    """Install packages into a virtual environment, by uv or else by pip; False if both fail."""
    uv = (sys.executable, "-m", "uv", "pip", "install", "--compile-bytecode", "--python", python)
    pip = (python, "-m", "pip", "install", "--disable-pip-version-check")
    return any(
        not subprocess.run(
            [*program, "--quiet", *arguments], env=ENVIRONMENT, check=False, timeout=_SECONDS
        ).returncode
        for program in (uv, pip)
    )
