"""Whatever happens to its files: a store returns what was stored, or nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.cache.store import Store

from .conftest import KEY, file_of, files_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = b"kind: Secret\n" * 20
LARGE = b"kind: ConfigMap\n" * 40_000
CONTENTS = {"small": SMALL, "large": LARGE}

# Each makes a store of its own, on a disk that may be slow; the faults make many more.
_FEW = 20

place = st.integers(min_value=0, max_value=10**9)


def damaged(file: Path, position: int, change: int) -> None:
    """Flip bits of one byte."""
    content = bytearray(file.read_bytes())
    content[position % len(content)] ^= change
    file.write_bytes(content)


@pytest.mark.parametrize("kind", CONTENTS)
@settings(max_examples=_FEW)
@given(position=place, change=st.integers(1, 255))
def test_flipped_bits_of_a_content(tmp_path: Path, kind: str, position: int, change: int) -> None:
    shutil.rmtree(tmp_path / "s", ignore_errors=True)
    store = Store(tmp_path / "s")
    digest = store.add_blob(CONTENTS[kind])
    damaged(file_of(store), position, change)

    found = store.blob(digest)

    # Some bits of a packed content mean nothing: what is unpacked is the same.
    assert found in (None, CONTENTS[kind])
    assert (found is None) == (files_in(store) == [])
    store.add_blob(CONTENTS[kind])
    assert store.blob(digest) == CONTENTS[kind]


@settings(max_examples=_FEW)
@given(position=place, change=st.integers(1, 255))
def test_flipped_bits_of_a_note(tmp_path: Path, position: int, change: int) -> None:
    shutil.rmtree(tmp_path / "s", ignore_errors=True)
    store = Store(tmp_path / "s")
    store.set_record(KEY, SMALL)
    damaged(file_of(store), position, change)

    assert store.record(KEY) is None
    assert files_in(store) == []
    store.set_record(KEY, SMALL)
    assert store.record(KEY) == SMALL


@pytest.mark.parametrize("kind", CONTENTS)
@settings(max_examples=_FEW)
@given(length=place)
def test_truncated_files(tmp_path: Path, kind: str, length: int) -> None:
    shutil.rmtree(tmp_path / "s", ignore_errors=True)
    store = Store(tmp_path / "s")
    digest = store.add_blob(CONTENTS[kind])
    store.set_record(KEY, CONTENTS[kind])
    for file in files_in(store):
        os.truncate(file, length % file.stat().st_size)

    assert store.blob(digest) is None
    assert store.record(KEY) is None
    assert files_in(store) == []


def test_storing_repairs_unread_content(store: Store) -> None:
    digest = store.add_blob(SMALL)
    damaged(file_of(store), 5, 1)

    store.add_blob(SMALL)

    assert store.blob(digest) == SMALL


def test_a_note_under_another_key_is_none(store: Store) -> None:
    other = "d" * len(KEY)
    store.set_record(KEY, b"x")
    store.set_record(other, b"y")
    first, second = files_in(store)
    second.write_bytes(first.read_bytes())

    assert {store.record(KEY), store.record(other)} in ({b"x", None}, {b"y", None})


def test_a_content_under_another_digest_is_none(store: Store) -> None:
    digest = store.add_blob(b"x")
    file = file_of(store)
    other = store.add_blob(b"y")
    (there,) = set(files_in(store)) - {file}
    there.write_bytes(file.read_bytes())

    assert store.blob(other) is None
    assert store.blob(digest) == b"x"


def as_a_folder(file: Path) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


def as_a_link_to_nothing(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere")


def as_a_link_to_a_copy(file: Path) -> None:
    copy = file.parents[3] / "copy"
    file.rename(copy)
    file.symlink_to(copy)


def as_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def writable_by_others(file: Path) -> None:
    file.chmod(0o666)


@pytest.mark.parametrize(
    "make",
    [
        as_a_folder,
        as_a_link_to_nothing,
        as_a_link_to_a_copy,
        as_a_pipe,
        writable_by_others,
    ],
)
def test_what_is_in_the_way_is_replaced(store: Store, make: Callable[[Path], None]) -> None:
    digest = store.add_blob(b"x")
    make(file_of(store))

    assert store.blob(digest) is None
    store.add_blob(b"x")
    assert store.blob(digest) == b"x"


def test_what_is_in_the_way_of_a_note_is_replaced(store: Store) -> None:
    store.set_record(KEY, b"x")
    as_a_folder(file_of(store))

    store.set_record(KEY, b"y")

    assert store.record(KEY) == b"y"
