"""Stored content is found again, unchanged."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.cache.digests import digest
from commodore_py.cache.store import Store
from tests.support.stores import damaged_in

from .conftest import KEY, file_of, files_in

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=30)
@given(content=st.binary(max_size=2000))
def test_a_content_is_found_by_its_digest(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path)

    name = store.add_blob(content)

    assert name == digest(content)
    assert Store(tmp_path).blob(name) == content


@settings(max_examples=30)
@given(first=st.binary(max_size=200), second=st.binary(max_size=200))
def test_a_note_is_what_was_noted_last(tmp_path: Path, first: bytes, second: bytes) -> None:
    store = Store(tmp_path)

    store.set_record(KEY, first)
    store.set_record(KEY, second)

    assert Store(tmp_path).record(KEY) == second


def test_nothing_is_written_until_something_is_stored(store: Store) -> None:
    assert store.blob(digest(b"x")) is None
    assert store.record(KEY) is None
    store.tidy(0)
    assert store.usage().bytes == 0
    assert damaged_in(store) == ()

    assert not store.folder.exists()


def test_everything_is_for_its_owner_alone(store: Store) -> None:
    before = os.umask(0)
    try:
        store.add_blob(b"secret")
        store.set_record(KEY, b"secret")
    finally:
        os.umask(before)

    paths = [store.folder, *store.folder.rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}
    assert modes == {(True, 0o700), (False, 0o600)}


def test_what_others_could_read_is_closed(store: Store) -> None:
    store.folder.mkdir(parents=True, mode=0o755)

    store.add_blob(b"secret")

    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_content_is_written_once(store: Store) -> None:
    store.add_blob(b"x")
    before = file_of(store).stat()

    store.add_blob(b"x")

    after = file_of(store).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("key", ["", "ab", "../../etc/passwd", "G" * 64, "A" * 64, "ab/cdef" * 9])
def test_a_key_cannot_lead_elsewhere(store: Store, key: str) -> None:
    for use in (store.blob, store.record):
        with pytest.raises(ValueError, match="not a key"):
            use(key)


def test_a_use_is_noted_once_a_day(store: Store) -> None:
    digest = store.add_blob(b"x")
    file = file_of(store)
    hour, week = time.time() - 3600, time.time() - 7 * 86400

    os.utime(file, (hour, hour))
    store.blob(digest)
    recent = file.stat().st_mtime
    os.utime(file, (week, week))
    store.blob(digest)

    assert recent == pytest.approx(hour)
    assert file.stat().st_mtime == pytest.approx(time.time(), abs=60)


def test_keeping_again_is_a_use_too(store: Store) -> None:
    store.add_blob(b"x")
    file = file_of(store)
    os.utime(file, (0, 0))

    store.add_blob(b"x")

    assert file.stat().st_mtime == pytest.approx(time.time(), abs=60)


def test_a_store_that_is_removed_is_created_again(store: Store) -> None:
    digest = store.add_blob(b"x")
    for path in sorted(store.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    store.folder.rmdir()

    missing = store.blob(digest)
    store.add_blob(b"x")
    store.set_record(KEY, b"y")

    assert missing is None
    assert (store.blob(digest), store.record(KEY)) == (b"x", b"y")


def test_nothing_is_left_aside(store: Store) -> None:
    for number in range(20):
        store.add_blob(b"%d" % number)
        store.set_record(KEY, b"%d" % number)

    assert len(files_in(store)) == 21
