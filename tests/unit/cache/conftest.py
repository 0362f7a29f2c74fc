"""A store in a folder that is not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.store import Store

if TYPE_CHECKING:
    from pathlib import Path

KEY = "c0ffee" * 8


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache" / "results")


def files_in(store: Store) -> list[Path]:
    """All files of a store, wherever they are in it."""
    return sorted(path for path in store.folder.rglob("*") if not path.is_dir())


def file_of(store: Store) -> Path:
    """The only file of a store."""
    (file,) = files_in(store)
    return file
