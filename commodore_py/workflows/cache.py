"""The user's caches: what lies in them, and what of it may go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import is_aside, remove
from commodore_py.dependencies.downloads.prune import (
    CachedDownload,
    contents,
    prune_downloads,
    verify_downloads,
)
from commodore_py.dependencies.downloads.store import Store
from commodore_py.dependencies.git.object_cache import ObjectCache, last_used
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABANDONED = timedelta(hours=1)  # what is made aside is in its place within seconds


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder of the user's cache."""

    path: Path
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Repository:
    """The cached objects of one remote."""

    name: str
    """Host and path, as in `dependencies/.repos`."""
    path: Path
    files: int
    bytes: int
    freed: int
    """What removing it would free: working directories may hold the same files."""
    used: datetime
    """When objects were last lent, or the remote was last seen to have new ones."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed, and what could not be as other runs work on it."""

    removed: tuple[Repository, ...]
    busy: tuple[Repository, ...]


@dataclass(frozen=True, slots=True)
class PrunedDownloads:
    """Downloads that were forgotten, and the bytes that this freed."""

    removed: tuple[CachedDownload, ...]
    freed: int


@dataclass(frozen=True, slots=True)
class Checked:
    """How much of one cache was read, and what was removed as it was damaged."""

    folder: Path
    items: int
    damaged: tuple[str, ...]


def folders(cache: Path) -> tuple[Folder, ...]:
    """What the user's cache is made of, sorted by name."""
    found = sorted(path for path in cache.iterdir() if path.is_dir()) if cache.is_dir() else []
    return tuple(Folder(path, *_sizes(path)[:2]) for path in found)


def repositories(git_cache: Path) -> tuple[Repository, ...]:
    """The remotes of which objects are kept, sorted by name."""
    object_cache = ObjectCache(git_cache)
    found = []
    for entry in sorted(object_cache.entries()):
        try:
            used = datetime.fromtimestamp(last_used(entry), tz=UTC)
        except FileNotFoundError:
            continue  # another run dropped it just now
        name = str(entry.relative_to(git_cache))
        found.append(Repository(name, entry, *_sizes(entry), used))
    return tuple(found)


def prune(git_cache: Path, *, now: datetime, unused_for: timedelta | None) -> Pruned:
    """Remove what was not used for a while; all, if none is given."""
    object_cache = ObjectCache(git_cache)
    removed: list[Repository] = []
    busy: list[Repository] = []
    for one in repositories(git_cache):
        if unused_for is None or now - one.used >= unused_for:
            (removed if object_cache.drop(one.path) else busy).append(one)
    for path in _abandoned(git_cache, before=now - _ABANDONED):
        try:
            remove(path)
        except OSError as error:
            raise CommodoreError(f"cannot remove it: {error.strerror}", where=str(path)) from error
    return Pruned(tuple(removed), tuple(busy))


def downloads(cache: Path) -> tuple[CachedDownload, ...]:
    """The charts, archives, files and repositories that are kept, sorted by kind and source."""
    return contents(Store(cache))


def prune_kept(cache: Path, *, now: datetime, unused_for: timedelta | None) -> PrunedDownloads:
    """Forget downloads that were not used for a while; all, if no time is given."""
    old = tuple(
        one for one in downloads(cache) if unused_for is None or now - one.used >= unused_for
    )
    freed = prune_downloads(Store(cache), old, before=now - _ABANDONED)
    return PrunedDownloads(old, freed)


def verify_repositories(git_cache: Path) -> Checked:
    """Read all objects; repositories with damaged ones are removed."""
    object_cache = ObjectCache(git_cache)
    entries = sorted(object_cache.entries())
    damaged = [(entry, object_cache.broken(entry)) for entry in entries]
    return Checked(
        git_cache, len(entries), tuple(f"{entry}: {why}" for entry, why in damaged if why)
    )


def verify_kept(cache: Path) -> Checked:
    """Read all downloads, and remove those that are not what they were."""
    count, damaged = verify_downloads(Store(cache))
    return Checked(cache, count, tuple(map(str, damaged)))


def _sizes(folder: Path) -> tuple[int, int, int]:
    """Number of files, their bytes, and the bytes that nobody else holds."""
    files = size = freed = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                stat = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - thousands of files
            except FileNotFoundError:
                continue  # another run is at work
            files, size = files + 1, size + stat.st_size
            freed += stat.st_size if stat.st_nlink == 1 else 0
    return files, size, freed


def _abandoned(folder: Path, *, before: datetime) -> Iterator[Path]:
    """What runs that were killed have left aside."""
    for parent, names, _ in os.walk(folder):
        asides = [Path(parent, name) for name in names if is_aside(name)]
        names[:] = [name for name in names if not is_aside(name) and name != "objects"]
        yield from (path for path in asides if path.stat().st_mtime < before.timestamp())
