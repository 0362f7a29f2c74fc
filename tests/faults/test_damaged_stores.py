"""Very many damages of the cache of results, and none of them in a catalog."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.damage import DAMAGES, World

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.faults

ROUNDS = int(os.environ.get("DAMAGE_ROUNDS", "100"))


def test_no_damage_gets_into_a_catalog(tmp_path: Path) -> None:
    world = World.make(tmp_path)
    kinds: Counter[str] = Counter()

    for seed in range(ROUNDS):
        kinds.update(one.split()[0] for one in world.survives(seed))

    assert kinds.keys() == {kind.__name__ for kind in DAMAGES}
