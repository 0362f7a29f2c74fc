"""List and prune the cache of downloads."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove

from .store import Store, Stored, read_note

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class CachedDownload:
    """A download in the cache."""

    kind: str
    source: str
    bytes: int
    used: datetime
    note: Path


def contents(store: Store) -> tuple[CachedDownload, ...]:
    """Every cached download, sorted by kind and source."""
    cached_downloads = []
    for note in (store.folder / "known").glob("*.json"):
        try:
            stored, used = read_note(note), note.stat().st_mtime
            size = store.content(stored).stat().st_size if stored.sha256 else 0
        except (OSError, ValueError, KeyError, TypeError):
            continue  # another run is writing it, or another version wrote it
        kind = note.name.partition("-")[0]
        cached_downloads.append(
            CachedDownload(kind, stored.source, size, datetime.fromtimestamp(used, tz=UTC), note)
        )
    return tuple(
        sorted(
            cached_downloads,
            key=lambda cached_download: (
                cached_download.kind,
                cached_download.source,
                cached_download.note.name,
            ),
        )
    )


def prune_downloads(store: Store, unused: Iterable[CachedDownload], *, before: datetime) -> int:
    """Remove unused downloads and contents without a note; returns the bytes freed."""
    dropped = set()
    for cached_download in unused:
        with suppress(OSError, ValueError, KeyError, TypeError):
            dropped.add(store.content(read_note(cached_download.note)))
        cached_download.note.unlink(missing_ok=True)
    needed = {store.content(stored) for stored in _known(store)}
    freed = 0
    for file in (store.folder / "content").glob("*/*"):
        with suppress(FileNotFoundError):
            status = file.stat()
            # A new file may belong to a run that has not written its note yet.
            if file not in needed and (file in dropped or status.st_mtime < before.timestamp()):
                freed += status.st_size
                file.unlink()
    for left_over in store.folder.glob(".commodore-*"):
        with suppress(OSError):
            if left_over.stat().st_mtime < before.timestamp():
                remove(left_over)
    return freed


def _known(store: Store) -> Iterable[Stored]:
    for note in (store.folder / "known").glob("*.json"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield read_note(note)
