"""Contents of the caches, and results of pruning them: text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from commodore_py.model.names import counted

from .formats import readable_size, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commodore_py.cache.store import Pruned, Usage
    from commodore_py.dependencies.downloads.prune import CachedDownload
    from commodore_py.errors import CommodoreError
    from commodore_py.workflows import cache as caches


@dataclass(frozen=True, slots=True)
class Results:
    """The result cache as it is."""

    path: Path
    usage: Usage
    limit: int
    distrust: CommodoreError | None


@dataclass(frozen=True, slots=True)
class Contents:
    """All caches of a user."""

    folder: Path
    folders: Sequence[caches.Folder]
    repositories: Sequence[caches.Repository]
    downloads: Sequence[CachedDownload]
    results: Results


def lines(contents: Contents) -> Iterator[str]:
    """Render what is cached, for people."""
    yield str(contents.folder)
    yield from _table(
        ("FOLDER", "FILES", "SIZE"),
        [
            (folder.path.name, str(folder.files), readable_size(folder.bytes))
            for folder in contents.folders
        ],
    )
    yield from _table(
        ("RESULTS", "NOTES", "ON DISK", "LIMIT", "LAST USED"), list(_row(contents.results))
    )
    yield from _table(
        ("REPOSITORY", "SIZE", "FREED IF REMOVED", "LAST USED"),
        [
            (
                repository.name,
                readable_size(repository.bytes),
                readable_size(repository.freed),
                _day(repository.used),
            )
            for repository in contents.repositories
        ],
    )
    yield from _table(
        ("DOWNLOAD", "SIZE", "LAST USED"),
        [
            (download.source, readable_size(download.bytes), _day(download.used))
            for download in contents.downloads
        ],
    )


def info(contents: Contents) -> dict[str, Any]:
    """Render what is cached, for programs."""
    usage, distrust = contents.results.usage, contents.results.distrust
    return {
        "schema": "cache-info/v1",
        "folder": str(contents.folder),
        "folders": [
            {
                "name": folder.path.name,
                "path": str(folder.path),
                "files": folder.files,
                "bytes": folder.bytes,
            }
            for folder in contents.folders
        ],
        "repositories": [_repository(repository) for repository in contents.repositories],
        "downloads": [_download(download) for download in contents.downloads],
        "results": {
            "path": str(contents.results.path),
            "contents": usage.blobs,
            "notes": usage.records,
            "bytes": usage.bytes,
            "limit": contents.results.limit,
            "last_used": _moment(_time(usage.used)) if usage.used is not None else None,
            "doubt": str(distrust) if distrust else None,
        },
    }


def removed(pruned: caches.Pruned, downloads: caches.PrunedDownloads, results: Pruned) -> str:
    """Render what was pruned, for people."""
    counts = (
        (len(pruned.removed), "repository", "repositories"),
        (len(downloads.removed), "download", "downloads"),
        (results.files, "result", "results"),
    )
    parts = [counted(*count) for count in counts if count[0]]
    if not parts:
        return "nothing to remove"
    return f"{', '.join(parts)}, {readable_size(_freed(pruned, downloads, results))} freed"


def prune(
    pruned: caches.Pruned, downloads: caches.PrunedDownloads, results: Pruned
) -> dict[str, Any]:
    """Render what was pruned, for programs."""
    return {
        "schema": "cache-prune/v1",
        "removed": [_repository(repository) for repository in pruned.removed],
        "busy": [_repository(repository) for repository in pruned.busy],
        "downloads": [_download(cached_download) for cached_download in downloads.removed],
        "results": {"files": results.files, "freed": results.freed, "left": results.left},
        "freed": _freed(pruned, downloads, results),
    }


def _row(results: Results) -> Iterator[tuple[str, ...]]:
    usage = results.usage
    if usage.used is not None:
        size, limit, used = (
            readable_size(usage.bytes),
            readable_size(results.limit),
            _day(_time(usage.used)),
        )
        yield str(usage.blobs), str(usage.records), size, limit, used


def _repository(repository: caches.Repository) -> dict[str, Any]:
    return {
        "name": repository.name,
        "path": str(repository.path),
        "files": repository.files,
        "bytes": repository.bytes,
        "freed_if_removed": repository.freed,
        "last_used": _moment(repository.used),
    }


def _download(download: CachedDownload) -> dict[str, Any]:
    return {
        "kind": download.kind,
        "source": download.source,
        "bytes": download.bytes,
        "last_used": _moment(download.used),
    }


def _freed(pruned: caches.Pruned, downloads: caches.PrunedDownloads, results: Pruned) -> int:
    return sum(repository.freed for repository in pruned.removed) + downloads.freed + results.freed


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield from table((header, *rows))


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
