"""The user's caches: contents and pruning."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.dependencies.downloads.store import CachedDownload, Store
from commodore_py.dependencies.git.mirrors import Mirrors, is_unfinished
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABANDONED = timedelta(hours=1)  # temporary files are renamed within seconds


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder of the user's cache."""

    name: str
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
    freed_if_removed: int
    """Working directories may hold the same files."""
    last_used: datetime
    """When objects were last used, or new ones were last fetched from the remote."""


def folders(cache: Path) -> tuple[Folder, ...]:
    """The folders of the user's cache, sorted by name."""
    paths = sorted(path for path in cache.iterdir() if path.is_dir()) if cache.is_dir() else []
    return tuple(Folder(path.name, path, *_sizes(path)[:2]) for path in paths)


def repositories(git_cache: Path) -> tuple[Repository, ...]:
    """The remotes with cached objects, sorted by name."""
    mirrors = Mirrors(git_cache)
    entries = []
    for entry in sorted(mirrors.entries()):
        try:
            used = datetime.fromtimestamp(entry.stat().st_mtime, tz=UTC)
        except FileNotFoundError:
            continue  # removed by another process
        name = str(entry.relative_to(git_cache))
        entries.append(Repository(name, entry, *_sizes(entry), used))
    return tuple(entries)


def check_writable(folder: Path) -> None:
    """Refuse to change a cache that cannot be changed, instead of each entry in turn."""
    if not folder.is_dir() or os.access(folder, os.W_OK):
        return
    read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
    raise CommodoreError(
        "the cache cannot be changed: "
        + ("read-only file system" if read_only else "permission denied"),
        where=str(folder),
        hint="`commodore cache info` shows what is in it; XDG_CACHE_HOME chooses another one",
    )


def prune(
    git_cache: Path, *, now: datetime, unused_for: timedelta | None
) -> tuple[list[Repository], list[Repository]]:
    """Remove what was not used for a while, or all if none is given.

    Returns what was removed, and what other processes use.
    """
    mirrors = Mirrors(git_cache)
    removed: list[Repository] = []
    busy: list[Repository] = []
    for repository in repositories(git_cache):
        if unused_for is None or now - repository.last_used >= unused_for:
            (removed if mirrors.drop(repository.path) else busy).append(repository)
    for path in _abandoned(git_cache, before=now - _ABANDONED):
        remove(path)
    return removed, busy


def downloads(cache: Path) -> tuple[CachedDownload, ...]:
    """Cached charts, archives, files and repositories, sorted by kind and source."""
    return Store(cache).cached()


def prune_downloads(
    cache: Path, *, now: datetime, unused_for: timedelta | None
) -> tuple[list[CachedDownload], int]:
    """Remove downloads that were not used for a while, or all; with the bytes that this freed."""
    store = Store(cache)
    old = [
        download
        for download in store.cached()
        if unused_for is None or now - download.used >= unused_for
    ]
    return old, store.prune(old, before=now - _ABANDONED)


def _sizes(folder: Path) -> tuple[int, int, int]:
    """Number of files, their bytes, and the bytes without other hard links."""
    files = size = freed = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                stat = os.lstat(os.path.join(parent, name))  # noqa: PTH118 - thousands of files
            except FileNotFoundError:
                continue  # removed by another process
            files, size = files + 1, size + stat.st_size
            freed += stat.st_size if stat.st_nlink == 1 else 0
    return files, size, freed


def _abandoned(folder: Path, *, before: datetime) -> Iterator[Path]:
    """Temporary files of processes that were killed."""
    for parent, names, _ in os.walk(folder):
        asides = [Path(parent, name) for name in names if is_unfinished(name)]
        names[:] = [name for name in names if not is_unfinished(name) and name != "objects"]
        yield from (path for path in asides if path.stat().st_mtime < before.timestamp())
