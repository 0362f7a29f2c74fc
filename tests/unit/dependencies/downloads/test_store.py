"""The cache of downloads: found again, verified, emptied."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.downloads.prune import contents, prune_downloads
from commodore_py.dependencies.downloads.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.dependencies.downloads.store import Stored

NOW = datetime.now(UTC)
OLD = NOW - timedelta(days=40)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def _keep(store: Store, name: str, content: str, *, used: datetime = NOW) -> Stored:
    with store.incoming() as folder:
        (folder / "file").write_text(content)
        known = store.add(folder / "file", name, "file", name)
    for note in (store.folder / "known").glob("*.json"):
        if f'"{name}"' in note.read_text():
            os.utime(note, (used.timestamp(), used.timestamp()))
    return known


def test_stored_content_is_found(store: Store) -> None:
    _keep(store, "a", "content")

    known = store.find("file", "a")

    assert known is not None
    assert store.content(known).read_text() == "content"
    assert store.find("file", "b") is None


def test_a_content_that_was_changed_is_none(store: Store) -> None:
    known = _keep(store, "a", "content")
    store.content(known).write_text("other")

    assert store.verified(known) is None
    assert store.find("file", "a") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "download/v9"}'])
def test_a_note_that_is_not_understood_is_none(store: Store, text: str) -> None:
    _keep(store, "a", "content")
    (note,) = (store.folder / "known").iterdir()
    note.write_text(text)

    assert store.find("file", "a") is None
    assert contents(store) == ()


def test_other_users_cannot_read_it(store: Store) -> None:
    _keep(store, "a", "content")

    assert store.folder.stat().st_mode & 0o077 == 0


def test_only_unused_entries_are_removed(store: Store) -> None:
    old = _keep(store, "old", "shared", used=OLD)
    _keep(store, "new", "shared")
    missing = _keep(store, "gone", "alone", used=OLD)
    unused = [one for one in contents(store) if one.used < NOW - timedelta(days=30)]

    freed = prune_downloads(store, unused, before=NOW - timedelta(hours=1))

    assert [one.source for one in contents(store)] == ["new"]
    assert freed == len("alone")
    assert store.content(old).is_file()
    assert not store.content(missing).exists()


def test_a_use_is_noted(store: Store) -> None:
    _keep(store, "a", "content", used=OLD)

    store.find("file", "a")

    assert contents(store)[0].used > NOW - timedelta(hours=1)
