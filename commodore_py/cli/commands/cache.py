"""`commodore cache …`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from commodore_py.cache.store import Store
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import caches as cached
from commodore_py.cli.output import formats, messages
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import Globals, output_option, verbose_option
from commodore_py.errors import CommodoreError
from commodore_py.workflows import cache as caches

if TYPE_CHECKING:
    from pathlib import Path

_UNUSED = timedelta(days=30)


@click.group(cls=LazyGroup)
@verbose_option
def cache() -> None:
    """Show and prune this user's caches.

    They may be deleted at any time: missing content is fetched or compiled again.
    """


@cache.command()
@output_option
@verbose_option
@click.pass_obj
def info(settings: Globals, output: str) -> None:
    """Show the location, size and last use of cached content."""
    folder = _folder()
    store = _results(folder)
    content = cached.Contents(
        folder,
        caches.folders(folder),
        caches.repositories(directories.git_cache(folder)),
        caches.downloads(directories.download_cache(folder)),
        cached.Results(store.folder, store.usage(), settings.cache_size, store.distrust()),
    )
    formats.show(output, cached.info(content), cached.lines(content))


@cache.command()
@click.option("--all", is_flag=True, help="Remove everything.")
@output_option
@verbose_option
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
    caches.check_writable(folder)
    pruned = caches.prune(directories.git_cache(folder), now=now, unused_for=unused_for)
    for repository in pruned.removed:
        messages.info(f"removed {repository.name}")
    for repository in pruned.busy:
        messages.warn(
            f"{repository.name} is kept: another process is using it", where=str(repository.path)
        )
    downloads = caches.prune_kept(
        directories.download_cache(folder), now=now, unused_for=unused_for
    )
    for download in downloads.removed:
        messages.info(f"removed {download.source}")
    results = _results(folder).prune(
        0 if all else settings.cache_size,
        unused_for=unused_for.total_seconds() if unused_for is not None else None,
    )
    removed = cached.removed(pruned, downloads, results)
    formats.show(output, cached.prune(pruned, downloads, results), (removed,))


def _results(folder: Path) -> Store:
    """The store of results, with a warning if runs do not use it."""
    store = Store(directories.result_cache(folder))
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
