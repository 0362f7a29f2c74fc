"""A compile with a damaged result cache gives what it gives without; `make faults` has more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.damage import DamagedStore, files_of
from tests.support.stores import damaged_in

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65534


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> DamagedStore:
    return DamagedStore.of_demo(tmp_path_factory.mktemp("world"))


@pytest.mark.long
def test_compile_fills_store(damaged: DamagedStore) -> None:
    damaged.restore()

    assert damaged.store.usage().blobs > 0
    assert damaged.store.usage().records > 0
    assert damaged_in(damaged.store) == ()


@pytest.mark.parametrize("seed", range(5))
def test_random_damages_change_nothing(damaged: DamagedStore, seed: int) -> None:
    assert damaged.survives(seed)


def test_damaged_store_entries_are_recreated(damaged: DamagedStore) -> None:
    damaged.restore()
    for file in files_of(damaged.store.folder):
        os.truncate(file, file.stat().st_size - 1)

    made = damaged.compile()

    assert made == damaged.expected
    assert damaged.store.usage().records == sum(
        file.parent.parent.name == "records" for file in files_of(damaged.filled)
    )
    assert damaged_in(damaged.store) == ()


@pytest.mark.parametrize("what", ["mode", "owner"])
def test_store_of_other_user_is_reported_and_unused(
    damaged: DamagedStore, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    if what == "owner" and os.geteuid():
        pytest.skip("only root can give files away")
    damaged.restore()
    folder = damaged.store.folder
    os.chown(folder, NOBODY, NOBODY) if what == "owner" else folder.chmod(0o777)
    before = state_of(folder)

    made = damaged.compile()

    assert made == damaged.expected
    assert state_of(folder) == before
    (warning,) = [one for one in caplog.records if "result cache" in one.getMessage()]
    assert warning.levelname == "WARNING"
    assert warning.__dict__["where"] == str(folder)


def state_of(folder: Path) -> dict[Path, tuple[int, ...]]:
    status = {path: path.lstat() for path in folder.rglob("*")}
    return {path: (one.st_ino, one.st_size, one.st_mtime_ns) for path, one in status.items()}
