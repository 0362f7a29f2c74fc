"""Damage in the store of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commodore_py.cache.store import Store


def damaged_in(store: Store) -> tuple[str, ...]:
    """The names of contents and notes that cannot be read; reading removes them."""
    readers = {"blobs": store.blob, "records": store.record}
    return tuple(
        f"{kind}/{key}"
        for kind, read in readers.items()
        for file in sorted(store.folder.glob(f"*/{kind}/??/*"))
        if not file.name.startswith(".") and read(key := file.parent.name + file.name) is None
    )
