"""Generated hierarchies by our engine and by reclass-rs."""

from __future__ import annotations

import os
import shutil
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest

from .engines import difference
from .hierarchies import hierarchy
from .oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HIERARCHIES = 150
MINUTES = float(os.environ.get("DIFFERENTIAL_MINUTES", "30"))
SEED = os.environ.get("DIFFERENTIAL_SEED", "7")


def test_engine_renders_like_reclass_rs(tmp_path: Path) -> None:
    compare((f"7:{number}" for number in range(HIERARCHIES)), tmp_path)


@pytest.mark.long
def test_engine_renders_like_reclass_rs_for_half_an_hour(tmp_path: Path) -> None:
    until = time.monotonic() + MINUTES * 60
    compare((f"{SEED}:{number}" for number in count()), tmp_path, until=until)


def compare(seeds: Iterable[str], folder: Path, *, until: float = float("inf")) -> None:
    """Compare the hierarchies of the seeds, each of which makes one again, until a moment."""
    differences, rendered, compared = list[str](), 0, 0
    with Oracle() as oracle:
        for seed in seeds:
            made = hierarchy(seed)
            made.write(folder / "hierarchy")
            theirs, apart = difference(folder / "hierarchy", oracle, missing_ok=made.missing_ok)
            shutil.rmtree(folder / "hierarchy")
            differences += [f"{seed}: {line}" for line in apart]
            compared += 1
            rendered += {kind for kind, _ in theirs.values()} == {"rendered"}
            if time.monotonic() > until:
                break

    assert differences == []
    assert rendered >= 0.6 * compared  # the others have mistakes on purpose
