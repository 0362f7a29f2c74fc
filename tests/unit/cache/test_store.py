"""Stored content is found again, unchanged."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.cache.store import Store, digest_of
from tests.support.stores import damaged_in

from .conftest import KEY, file_of, files_in

if TYPE_CHECKING:
    from pathlib import Path

LARGE = b"kind: ConfigMap\n" * 100_000


@settings(max_examples=30)
@given(content=st.binary(max_size=2000))
def test_a_content_is_found_by_its_digest(tmp_path: Path, content: bytes) -> None:
    store = Store(tmp_path)

    digest = store.keep(content)

    assert digest == digest_of(content)
    assert Store(tmp_path).blob(digest) == content


@settings(max_examples=30)
@given(first=st.binary(max_size=200), second=st.binary(max_size=200))
def test_a_note_is_what_was_noted_last(tmp_path: Path, first: bytes, second: bytes) -> None:
    store = Store(tmp_path)

    store.note(KEY, first)
    store.note(KEY, second)

    assert Store(tmp_path).noted(KEY) == second


def test_nothing_is_written_until_something_is_stored(store: Store) -> None:
    assert store.blob(digest_of(b"x")) is None
    assert store.noted(KEY) is None
    store.tidy(0)
    assert store.usage().bytes == 0
    assert damaged_in(store) == ()

    assert not store.folder.exists()


def test_everything_is_for_its_owner_alone(store: Store) -> None:
    before = os.umask(0)
    try:
        store.keep(b"secret")
        store.note(KEY, b"secret")
    finally:
        os.umask(before)

    paths = [store.folder, *store.folder.rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}
    assert modes == {(True, 0o700), (False, 0o600)}


def test_what_others_could_read_is_closed(store: Store) -> None:
    store.folder.mkdir(parents=True, mode=0o755)

    store.keep(b"secret")

    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_content_is_written_once(store: Store) -> None:
    store.keep(b"x")
    before = file_of(store).stat()

    store.keep(b"x")

    after = file_of(store).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_large_contents_take_less_room(store: Store) -> None:
    digest = store.keep(LARGE)

    assert file_of(store).stat().st_size < len(LARGE) // 10
    assert store.blob(digest) == LARGE


def test_what_does_not_get_smaller_stays_as_it_is(store: Store) -> None:
    noise = os.urandom(1 << 20)

    digest = store.keep(noise)

    assert file_of(store).stat().st_size == len(noise) + 1
    assert store.blob(digest) == noise


@pytest.mark.parametrize("key", ["", "ab", "../../etc/passwd", "G" * 64, "A" * 64, "ab/cdef" * 9])
def test_a_key_cannot_lead_elsewhere(store: Store, key: str) -> None:
    for use in (store.blob, store.noted):
        with pytest.raises(ValueError, match="not a key"):
            use(key)


def test_a_use_is_noted_once_a_day(store: Store) -> None:
    digest = store.keep(b"x")
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
    store.keep(b"x")
    file = file_of(store)
    os.utime(file, (0, 0))

    store.keep(b"x")

    assert file.stat().st_mtime == pytest.approx(time.time(), abs=60)


def test_a_store_that_is_removed_is_created_again(store: Store) -> None:
    digest = store.keep(b"x")
    for path in sorted(store.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    store.folder.rmdir()

    missing = store.blob(digest)
    store.keep(b"x")
    store.note(KEY, b"y")

    assert missing is None
    assert (store.blob(digest), store.noted(KEY)) == (b"x", b"y")


def test_nothing_is_left_aside(store: Store) -> None:
    for number in range(20):
        store.keep(b"%d" % number)
        store.note(KEY, b"%d" % number)

    assert len(files_in(store)) == 21
