"""`commodore cache …`."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cache.store import Store
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import caches as cached
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import HELP, Globals, output_option, verbose_option
from commodore_py.cli.settings.types import Size
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.workflows import cache as caches

if TYPE_CHECKING:
    from types import ModuleType

    from commodore_py.workflows.cache_archive import Folders, Moved

_DAYS, _MOST_DAYS = 30, 36_500
_KEY_VARIABLE, _SHORTEST_KEY = "COMMODORE_CACHE_KEY", 16


@click.group(cls=LazyGroup, context_settings=HELP)
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


_KEY = click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with the key of the archive; the variable COMMODORE_CACHE_KEY holds the key itself.",
)


@cache.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--max-size",
    type=Size(),
    default="1G",
    show_default=True,
    metavar="SIZE",
    help="Maximum size of the archive; what was not used for the longest time is left out.",
)
@_KEY
@verbose_option
@click.pass_obj
def export(
    settings: Globals, /, *, file: Path, max_size: int, key_file: Path | None, verbose: int
) -> None:
    """Write Git objects, downloads and results to one file, for other jobs and machines.

    Without a key, it has Git objects only: all else could have been made by anyone.
    """
    settings.more_verbose(verbose)
    from commodore_py.workflows import cache_archive as archives

    key = _key(key_file)
    moved = archives.export_caches(_folders(archives), file, limit=max_size, key=key)
    _report("exported", moved)


@cache.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@_KEY
@verbose_option
@click.pass_obj
def import_(settings: Globals, /, *, file: Path, key_file: Path | None, verbose: int) -> None:
    """Add what an archive has to the caches; several can be imported one after the other.

    Downloads and results are only taken from archives of the same key; Git objects are verified.
    """
    settings.more_verbose(verbose)
    from commodore_py.workflows import cache_archive as archives

    _report("imported", archives.import_caches(_folders(archives), file, key=_key(key_file)))


def _folders(archives: ModuleType) -> Folders:
    folder = _folder()
    found: Folders = archives.Folders(
        directories.git_cache(folder),
        directories.download_cache(folder),
        directories.result_cache(folder),
    )
    return found


def _key(file: Path | None) -> bytes:
    text = file.read_bytes() if file is not None else os.environ.get(_KEY_VARIABLE, "").encode()
    key = text.strip()
    if (file is not None or key) and len(key) < _SHORTEST_KEY:
        raise UsageError(
            f"the key of the archive has less than {_SHORTEST_KEY} bytes",
            where=str(file or _KEY_VARIABLE),
            hint="make one: openssl rand -hex 32",
        )
    return key


def _report(done: str, moved: Moved) -> None:
    for problem in moved.problems:
        messages.warn(f"not {done}: {problem}")
    if moved.distrust:
        messages.info(f"only Git objects are {done}: {moved.distrust} ({_KEY_VARIABLE})")
    streams.result(cached.moved(done, moved))


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
