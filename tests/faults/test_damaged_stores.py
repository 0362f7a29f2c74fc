"""Very many damages of the result cache, and none of them in a catalog."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.differential.compiles import COMPILING, fleet_of
from tests.support.damage import DAMAGES, DamagedStore, trees_of
from tests.support.fleet import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.faults

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "60"))


def every_kind_of_input(root: Path) -> DamagedStore:
    config = fleet_of(root / "fleet", COMPILING).config(processes=1)
    return DamagedStore.make(root, config, CLUSTER, trees_of)


@pytest.mark.parametrize(
    ("world_in", "rounds"), [(DamagedStore.of_demo, ROUNDS), (every_kind_of_input, ROUNDS // 6)]
)
def test_damaged_store_never_changes_catalog(
    tmp_path: Path, world_in: Callable[[Path], DamagedStore], rounds: int
) -> None:
    damaged = world_in(tmp_path)
    kinds: Counter[str] = Counter()

    for seed in range(rounds):
        kinds.update(one.split()[0] for one in damaged.survives(seed))

    assert kinds.keys() == {kind.__name__ for kind in DAMAGES}
