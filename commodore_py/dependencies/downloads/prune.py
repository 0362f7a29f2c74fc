"""What the cache of downloads holds, and what of it may go."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove

from .store import Known, Store, digest_of, read_note

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Kept:
    """A download that is kept."""

    kind: str
    source: str
    bytes: int
    used: datetime
    note: Path


def contents(store: Store) -> tuple[Kept, ...]:
    """Everything that is kept, sorted by kind and source."""
    found = []
    for note in (store.folder / "known").glob("*.json"):
        try:
            known, used = read_note(note), note.stat().st_mtime
            size = store.content(known).stat().st_size if known.sha256 else 0
        except (OSError, ValueError, KeyError, TypeError):
            continue  # another run works on it, or another version of ours wrote it
        kind = note.name.partition("-")[0]
        found.append(Kept(kind, known.source, size, datetime.fromtimestamp(used, tz=UTC), note))
    return tuple(sorted(found, key=lambda one: (one.kind, one.source, one.note.name)))


def prune_downloads(store: Store, unused: Iterable[Kept], *, before: datetime) -> int:
    """Forget some downloads, and remove contents that nothing knows; returns the bytes freed."""
    dropped = set()
    for one in unused:
        with suppress(OSError, ValueError, KeyError, TypeError):
            dropped.add(store.content(read_note(one.note)))
        one.note.unlink(missing_ok=True)
    needed = {store.content(known) for known in _known(store)}
    freed = 0
    for file in (store.folder / "content").glob("*/*"):
        with suppress(FileNotFoundError):
            status = file.stat()
            # What is new may belong to a run that has not noted it yet.
            if file not in needed and (file in dropped or status.st_mtime < before.timestamp()):
                freed += status.st_size
                file.unlink()
    for left_over in store.folder.glob(".commodore-*"):
        with suppress(OSError):
            if left_over.stat().st_mtime < before.timestamp():
                remove(left_over)
    return freed


def verify_downloads(store: Store) -> tuple[int, tuple[Path, ...]]:
    """The number of contents, and those that were removed as they are not what they are called."""
    count, damaged = 0, []
    for file in sorted((store.folder / "content").glob("*/*")):
        try:
            good = digest_of(file) == file.name
        except FileNotFoundError:
            continue  # another run emptied the cache just now
        except OSError:
            good = False
        count += 1
        if not good:
            remove(file)
            damaged.append(file)
    return count, tuple(damaged)


def _known(store: Store) -> Iterable[Known]:
    for note in (store.folder / "known").glob("*.json"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            yield read_note(note)
