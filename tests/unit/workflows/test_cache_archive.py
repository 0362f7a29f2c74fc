"""An archive of caches is never larger than asked."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.cache import archive
from commodore_py.cache.store import Store
from commodore_py.workflows.cache_archive import Folders, export_caches

KEY = b"0123456789abcdef"


@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 300), max_size=20),
    limit=st.integers(archive.OVERHEAD, 6000),
    keyed=st.booleans(),
)
def test_no_archive_is_larger_than_its_limit(sizes: list[int], limit: int, keyed: bool) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        store = Store(root / "results")
        for number, size in enumerate(sizes):
            store.keep(str(number).encode() * size)

        folders = Folders(root / "git", root / "downloads", store.folder)
        moved = export_caches(folders, root / "archive", limit=limit, key=KEY if keyed else b"")

        assert moved.bytes == (root / "archive").stat().st_size <= limit
        if moved.left_out:
            assert moved.bytes + 300 + 250 > limit
