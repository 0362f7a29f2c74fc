"""A compile with a damaged cache of results gives what it gives without; `make faults` has more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.damage import DamagedStore, files_of

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65534


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> DamagedStore:
    return DamagedStore.of_demo(tmp_path_factory.mktemp("world"))


def test_a_compile_fills_the_store(world: DamagedStore) -> None:
    world.restore()

    assert world.store.usage().blobs > 0
    assert world.store.usage().notes > 0
    assert world.store.verify().damaged == ()


@pytest.mark.parametrize("seed", range(5))
def test_random_damages_change_nothing(world: DamagedStore, seed: int) -> None:
    assert world.survives(seed)


def test_what_was_damaged_is_made_again(world: DamagedStore) -> None:
    world.restore()
    for file in files_of(world.store.folder):
        os.truncate(file, file.stat().st_size - 1)

    made = world.compile()

    assert made == world.expected
    assert world.store.usage().notes == sum(
        file.parent.parent.name == "notes" for file in files_of(world.filled)
    )
    assert world.store.verify().damaged == ()


@pytest.mark.parametrize("what", ["mode", "owner"])
def test_a_store_of_others_is_told_and_not_used(
    world: DamagedStore, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    if what == "owner" and os.geteuid():
        pytest.skip("only root can give files away")
    world.restore()
    folder = world.store.folder
    os.chown(folder, NOBODY, NOBODY) if what == "owner" else folder.chmod(0o777)
    before = state_of(folder)

    made = world.compile()

    assert made == world.expected
    assert state_of(folder) == before
    (warning,) = [one for one in caplog.records if "cache of results" in one.getMessage()]
    assert warning.levelname == "WARNING"
    assert warning.__dict__["where"] == str(folder)


def state_of(folder: Path) -> dict[Path, tuple[int, ...]]:
    status = {path: path.lstat() for path in folder.rglob("*")}
    return {path: (one.st_ino, one.st_size, one.st_mtime_ns) for path, one in status.items()}
