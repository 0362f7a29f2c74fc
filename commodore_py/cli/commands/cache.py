"""`commodore cache …`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from commodore_py.cache.store import Store
from commodore_py.cli.output import caches as cached
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import HELP, Globals, output_option, verbose_option
from commodore_py.cli.settings.types import Size
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.workflows import cache as caches

if TYPE_CHECKING:
    from pathlib import Path

_DAYS, _MOST_DAYS = 30, 36_500


@click.group(context_settings=HELP)
@verbose_option
@click.pass_context
def cache(ctx: click.Context, verbose: int) -> None:
    """Show, verify and prune this user's caches.

    They may be deleted at any time: missing content is fetched or compiled again.
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@cache.command()
@output_option
@verbose_option
@click.pass_obj
def info(settings: Globals, output: str, verbose: int) -> None:
    """Show the location, size and last use of cached content."""
    settings = settings.more_verbose(verbose)
    folder = _folder()
    store = _results(folder)
    content = cached.Contents(
        folder,
        caches.folders(folder),
        caches.repositories(directories.git_cache(folder)),
        caches.downloads(directories.download_cache(folder)),
        cached.Results(store.folder, store.usage(), settings.cache_size, store.distrust()),
    )
    if output != "text":
        streams.data(formats.structured(cached.info(content), output))
        return
    for line in cached.lines(content):
        streams.result(line)


@cache.command()
@click.option(
    "--older-than",
    type=click.IntRange(min=0, max=_MOST_DAYS),
    default=_DAYS,
    show_default=True,
    metavar="DAYS",
    help="Remove content that was not used for this number of days.",
)
@click.option(
    "--max-size",
    type=Size(),
    metavar="SIZE",
    help="Then remove the oldest results until the cache is at most this large; defaults to"
    " --cache-size.",
)
@click.option("--all", is_flag=True, help="Remove everything.")
@output_option
@verbose_option
@click.pass_context
def prune(
    ctx: click.Context,
    /,
    *,
    older_than: int,
    max_size: int | None,
    all: bool,  # noqa: A002 - its variable is COMMODORE_CACHE_PRUNE_ALL
    output: str,
    verbose: int,
) -> None:
    """Remove Git objects, downloads and results that were not used recently.

    Content that other processes are using is kept. Working directories do not need the caches.
    """
    settings: Globals = ctx.obj.more_verbose(verbose)
    given = ctx.get_parameter_source("older_than") is not click.core.ParameterSource.DEFAULT
    for option, is_set in (("--older-than", given), ("--max-size", max_size is not None)):
        if all and is_set:
            raise UsageError(f"--all and {option} cannot be combined", hint="omit one of them")
    unused_for = None if all else timedelta(days=older_than)
    now, folder = datetime.now(UTC), _folder()
    caches.check_writable(folder)
    pruned = caches.prune(directories.git_cache(folder), now=now, unused_for=unused_for)
    for one in pruned.removed:
        messages.info(f"removed {one.name}")
    for one in pruned.busy:
        messages.warn(f"{one.name} is kept: another process is using it", where=str(one.path))
    downloads = caches.prune_kept(
        directories.download_cache(folder), now=now, unused_for=unused_for
    )
    for download in downloads.removed:
        messages.info(f"removed {download.source}")
    limit = settings.cache_size if max_size is None else max_size
    results = _results(folder).prune(
        0 if all else limit,
        unused_for=unused_for.total_seconds() if unused_for is not None else None,
    )
    if output == "text":
        streams.result(cached.removed(pruned, downloads, results))
    else:
        streams.data(formats.structured(cached.prune(pruned, downloads, results), output))


@cache.command()
@output_option
@verbose_option
@click.pass_context
def verify(ctx: click.Context, output: str, verbose: int) -> None:
    """Verify all cached content and remove what is damaged; it is fetched or compiled again.

    Exits with status 1 if anything was damaged.
    """
    ctx.obj.more_verbose(verbose)
    folder = _folder()
    caches.check_writable(folder)
    store = _results(folder)
    results, distrust = store.verify(), store.distrust()
    checked = (
        caches.verify_repositories(directories.git_cache(folder)),
        caches.verify_kept(directories.download_cache(folder)),
        caches.Checked(store.folder, results.blobs + results.notes, results.damaged),
    )
    if output == "text":
        for one in checked:
            streams.result(cached.checked(one))
            for damaged in one.damaged:
                messages.info(f"removed {damaged}")
    else:
        streams.data(formats.structured(cached.verify(checked, distrust), output))
    if distrust or any(one.damaged for one in checked):
        ctx.exit(1)


def _results(folder: Path) -> Store:
    """The store of results, with a warning if runs do not use it."""
    store = Store(directories.result_cache(folder))
    if distrust := store.distrust():
        text = f"the result cache is not used: {distrust.why}"
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
