"""A store stays within its limit, and keeps what was used last."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.cache.store import Store

from .conftest import KEY, files_in

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = 4096
DAY = 86400


def aged(store: Store, days: float) -> None:
    """Make everything that is in a store look as if last used so long ago."""
    moment = time.time() - days * DAY
    for file in files_in(store):
        os.utime(file, (moment, moment))


def test_usage_counts_whole_blocks(store: Store) -> None:
    store.add_blob(b"x")
    store.add_blob(os.urandom(2 * BLOCK))
    store.set_record(KEY, b"y")

    usage = store.usage()

    assert (usage.blobs, usage.records, usage.bytes) == (2, 1, 4 * BLOCK)
    assert usage.used == pytest.approx(time.time(), abs=60)


@settings(max_examples=30)
@given(
    ages=st.lists(st.integers(0, 100), min_size=1, max_size=12, unique=True),
    room=st.integers(0, 12),
)
def test_what_was_used_last_stays(
    tmp_path_factory: pytest.TempPathFactory, ages: list[int], room: int
) -> None:
    store = Store(tmp_path_factory.mktemp("store"))
    digests = {}
    for age in ages:
        digests[age] = store.add_blob(b"%d" % age)
    files = {age: next(store.folder.rglob(digests[age][2:])) for age in ages}
    for age, file in files.items():
        os.utime(file, (time.time() - age * DAY,) * 2)

    pruned = store.prune(room * BLOCK)

    left = sorted(ages)[:room]
    assert [age for age in ages if files[age].exists()] == [age for age in ages if age in left]
    assert pruned.files == len(ages) - len(left)
    assert pruned.freed + pruned.left == len(ages) * BLOCK
    assert pruned.left == store.usage().bytes


def test_what_was_not_used_for_long_goes(store: Store) -> None:
    old = store.add_blob(b"old")
    aged(store, 31)
    new = store.add_blob(b"new")

    pruned = store.prune(1 << 30, unused_for=30 * DAY)

    assert pruned.files == 1
    assert (store.blob(old), store.blob(new)) == (None, b"new")


def test_other_formats_count_too(store: Store) -> None:
    older = store.folder / "v0/whatever/x"
    older.parent.mkdir(parents=True)
    older.write_text("x")

    store.prune(0)

    assert not older.exists()


@pytest.mark.parametrize(("hours", "stays"), [(0.1, True), (2, False)])
def test_what_killed_runs_left_aside_goes(store: Store, hours: float, stays: bool) -> None:
    store.add_blob(b"x")
    aside = files_in(store)[0].with_name(".4711-deadbeef-0.new")
    aside.write_bytes(b"half")
    moment = time.time() - hours * 3600
    os.utime(aside, (moment, moment))

    store.prune(1 << 30)

    assert aside.exists() == stays
    assert store.usage().blobs == 1


def filled(store: Store, count: int) -> None:
    for number in range(count):
        store.add_blob(b"%d" % number * 10)


def test_tidying_keeps_a_store_within_its_limit(store: Store) -> None:
    filled(store, 600)
    limit = 300 * BLOCK

    store.tidy(limit)

    assert store.usage().bytes <= limit
    assert store.usage().bytes > limit // 2


def test_tidying_removes_nothing_that_has_room(store: Store) -> None:
    filled(store, 100)

    store.tidy(1000 * BLOCK)

    assert store.usage().blobs == 100


def test_tidying_is_left_to_one_run(store: Store) -> None:
    filled(store, 600)
    store.tidy(1000 * BLOCK)

    store.tidy(0)
    soon = store.usage().blobs
    later(store, 1.1)
    store.tidy(0)

    assert soon == 600
    assert store.usage().blobs == 0


def later(store: Store, hours: float) -> None:
    """As if the last cleaning had been so long ago."""
    moment = time.time() - hours * 3600
    os.utime(store.folder / "swept", (moment, moment))


def test_what_is_left_aside_counts_for_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add_blob(b"x")
    files_in(store)[0].with_name(".1-a-0.new").write_bytes(b"half")

    assert store.usage().blobs == 1
