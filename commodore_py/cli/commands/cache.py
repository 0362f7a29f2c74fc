"""`commodore cache …`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cache.store import Store
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, messages
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import Globals, output_option
from commodore_py.errors import CommodoreError
from commodore_py.model.names import counted
from commodore_py.workflows import cache as caches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.dependencies.downloads.store import CachedDownload

_UNUSED = timedelta(days=30)
_TABLES = {
    "folders": {"FOLDER": "name", "FILES": "files", "SIZE": "bytes"},
    "results": {
        "RESULTS": "contents",
        "NOTES": "notes",
        "ON DISK": "bytes",
        "LIMIT": "limit",
        "LAST USED": "last_used",
    },
    "repositories": {
        "REPOSITORY": "name",
        "SIZE": "bytes",
        "FREED IF REMOVED": "freed_if_removed",
        "LAST USED": "last_used",
    },
    "downloads": {"DOWNLOAD": "source", "SIZE": "bytes", "LAST USED": "last_used"},
}
"""Columns of what is cached, by their names in JSON."""
_SIZES = ("bytes", "limit", "freed_if_removed")


@click.group(cls=LazyGroup)
def cache() -> None:
    """Show and prune this user's caches.

    They may be deleted at any time: missing content is fetched or compiled again.
    """


@cache.command()
@output_option
@click.pass_obj
def info(settings: Globals, output: str) -> None:
    """Show the location, size and last use of cached content."""
    folder = _folder()
    paths, store = directories.caches_in(folder), _results(folder)
    usage, distrust = store.usage(), store.distrust()
    used = None if usage.used is None else datetime.fromtimestamp(usage.used, tz=UTC)
    content = {
        "schema": "cache-info/v1",
        "folder": str(folder),
        "folders": [_plain(sized) for sized in caches.folders(folder)],
        "repositories": [_plain(mirror) for mirror in caches.repositories(paths["git_cache"])],
        "downloads": [_download(each) for each in caches.downloads(paths["download_cache"])],
        "results": {
            "path": str(store.folder),
            "contents": usage.blobs,
            "notes": usage.records,
            "bytes": usage.bytes,
            "limit": settings.cache_size,
            "last_used": used and _moment(used),
            "doubt": str(distrust) if distrust else None,
        },
    }
    formats.show(output, content, _lines(content))


@cache.command()
@click.option("--all", is_flag=True, help="Remove everything.")
@output_option
@click.pass_obj
def prune(
    settings: Globals,
    /,
    *,
    all: bool,  # noqa: A002 - the option's name
    output: str,
) -> None:
    """Remove Git objects, downloads and results that were not used for 30 days.

    Content that other processes are using is kept. Working directories do not need the caches.
    """
    unused_for = None if all else _UNUSED
    now, folder = datetime.now(UTC), _folder()
    paths = directories.caches_in(folder)
    caches.check_writable(folder)
    removed, busy = caches.prune(paths["git_cache"], now=now, unused_for=unused_for)
    for repository in removed:
        messages.info(f"removed {repository.name}")
    for repository in busy:
        messages.warn(
            f"{repository.name} is kept: another process is using it", where=str(repository.path)
        )
    downloads, freed = caches.prune_downloads(
        paths["download_cache"], now=now, unused_for=unused_for
    )
    for download in downloads:
        messages.info(f"removed {download.source}")
    results = _results(folder).prune(
        0 if all else settings.cache_size,
        unused_for=unused_for.total_seconds() if unused_for is not None else None,
    )
    freed += sum(repository.freed_if_removed for repository in removed) + results.freed
    content = {
        "schema": "cache-prune/v1",
        "removed": list(map(_plain, removed)),
        "busy": list(map(_plain, busy)),
        "downloads": list(map(_download, downloads)),
        "results": asdict(results),
        "freed": freed,
    }
    counts = (
        (len(removed), "repository", "repositories"),
        (len(downloads), "download", "downloads"),
        (results.files, "result", "results"),
    )
    parts = [counted(*count) for count in counts if count[0]]
    line = f"{', '.join(parts)}, {formats.readable_size(freed)} freed"
    formats.show(output, content, (line if parts else "nothing to remove",))


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    yield content["folder"]
    for name, columns in _TABLES.items():
        rows = content[name]
        if name == "results":
            rows = [rows] if rows["last_used"] else []
        if rows:
            cells = ([_cell(key, row[key]) for key in columns.values()] for row in rows)
            yield ""
            yield from formats.table(([*columns], *cells))


def _cell(name: str, value: Any) -> str:
    if name in _SIZES:
        return formats.readable_size(value)
    if name == "last_used":
        return datetime.fromisoformat(value).astimezone().strftime("%Y-%m-%d %H:%M")
    return str(value)


def _plain(cached: caches.Folder | caches.Repository) -> dict[str, Any]:
    fields = asdict(cached)
    times = {"last_used": _moment(fields["last_used"])} if "last_used" in fields else {}
    return {**fields, "path": str(cached.path), **times}


def _download(download: CachedDownload) -> dict[str, Any]:
    return {
        "kind": download.kind,
        "source": download.source,
        "bytes": download.bytes,
        "last_used": _moment(download.used),
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _results(folder: Path) -> Store:
    """The store of results, with a warning if runs do not use it."""
    store = Store(directories.caches_in(folder)["result_cache"])
    if distrust := store.distrust():
        text = f"the result cache is not used: {distrust}"
        messages.warn(text, where=distrust.where, hint=distrust.hint)
    return store


def _folder() -> Path:
    folder = directories.cache_folder()
    if folder is None:
        raise CommodoreError(
            "there is no cache folder: this user has no home directory",
            hint="set XDG_CACHE_HOME to a folder",
        )
    return folder
