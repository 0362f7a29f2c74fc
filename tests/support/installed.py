"""Programs that tests install once per user; several test processes may want one at once."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALLED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "commodore-py-tests"
"""In the user's cache, read before tests have caches of their own."""


@contextmanager
def installing(home: Path) -> Iterator[None]:
    """Nobody else installs into that folder meanwhile; look afterwards whether it is done."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with home.with_name(f"{home.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
