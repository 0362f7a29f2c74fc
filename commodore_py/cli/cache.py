"""`commodore cache …`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from commodore_py.errors import CommodoreError, UsageError
from commodore_py.workflows import cache as caches

from . import places, render, voice
from .options import HELP, Globals, output_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.dependencies.vendored import Kept

_DAYS = 30
_KIBI = 1024


@click.group(context_settings=HELP)
@verbose_option
@click.pass_context
def cache(ctx: click.Context, verbose: int) -> None:
    """Look into the caches of this user, and empty them.

    They may be removed at any time: what is missing is fetched again.
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@cache.command()
@output_option
@verbose_option
@click.pass_obj
def info(settings: Globals, output: str, verbose: int) -> None:
    """Show what is cached where, how much, and when it was last used."""
    settings.more_verbose(verbose)
    folder = _folder()
    folders, repositories = caches.folders(folder), caches.repositories(places.git_cache(folder))
    downloads = caches.downloads(places.download_cache(folder))
    if output != "text":
        click.echo(render.structured(_info(folder, folders, repositories, downloads), output))
        return
    click.echo(f"{folder}\n")
    for line in _aligned(
        ("FOLDER", "FILES", "SIZE"),
        [(one.path.name, str(one.files), _size(one.bytes)) for one in folders],
    ):
        click.echo(line)
    if repositories:
        click.echo()
    for line in _aligned(
        ("REPOSITORY", "SIZE", "FREED IF REMOVED", "LAST USED"),
        [(one.name, _size(one.bytes), _size(one.freed), _day(one.used)) for one in repositories],
    ):
        click.echo(line)
    if downloads:
        click.echo()
    for line in _aligned(
        ("DOWNLOAD", "SIZE", "LAST USED"),
        [(one.source, _size(one.bytes), _day(one.used)) for one in downloads],
    ):
        click.echo(line)


@cache.command()
@click.option(
    "--older-than",
    type=click.IntRange(min=0),
    default=_DAYS,
    show_default=True,
    metavar="DAYS",
    help="Remove what was not used for so many days.",
)
@click.option("--all", is_flag=True, help="Remove everything.")
@output_option
@verbose_option
@click.pass_context
def prune(
    ctx: click.Context,
    /,
    older_than: int,
    all: bool,  # noqa: A002 - its variable is COMMODORE_CACHE_PRUNE_ALL
    output: str,
    verbose: int,
) -> None:
    """Remove Git objects and downloads that were not used for a while.

    What other runs work on right now stays. Working directories are complete without the cache.
    """
    ctx.obj.more_verbose(verbose)
    given = ctx.get_parameter_source("older_than") is not click.core.ParameterSource.DEFAULT
    if all and given:
        raise UsageError("--all and --older-than cannot be combined", hint="leave out one of them")
    unused_for = None if all else timedelta(days=older_than)
    pruned = caches.prune(places.git_cache(_folder()), now=datetime.now(UTC), unused_for=unused_for)
    for one in pruned.removed:
        voice.step(f"removed {one.name}")
    for one in pruned.busy:
        voice.warn(f"{one.name} stays: another run works on it", where=str(one.path))
    kept = caches.prune_kept(
        places.download_cache(_folder()), now=datetime.now(UTC), unused_for=unused_for
    )
    for download in kept.removed:
        voice.step(f"removed {download.source}")
    freed = sum(one.freed for one in pruned.removed) + kept.freed
    if output == "text":
        count = len(pruned.removed)
        gone = f"{count} {'repository' if count == 1 else 'repositories'}"
        more = len(kept.removed)
        others = f", {more} {'download' if more == 1 else 'downloads'}" if more else ""
        click.echo(f"{gone}{others}, {_size(freed)} freed")
        return
    content = {
        "schema": "cache-prune/v1",
        "removed": [_fields(one) for one in pruned.removed],
        "busy": [_fields(one) for one in pruned.busy],
        "downloads": [_about(one) for one in kept.removed],
        "freed": freed,
    }
    click.echo(render.structured(content, output))


def _folder() -> Path:
    folder = places.cache_folder()
    if folder is None:
        raise CommodoreError(
            "there is no place for caches: this user has no home",
            hint="set XDG_CACHE_HOME to a folder",
        )
    return folder


def _info(
    folder: Path,
    folders: Iterable[caches.Folder],
    repositories: Iterable[caches.Repository],
    downloads: Iterable[Kept],
) -> dict[str, Any]:
    return {
        "schema": "cache-info/v1",
        "folder": str(folder),
        "folders": [
            {"name": one.path.name, "path": str(one.path), "files": one.files, "bytes": one.bytes}
            for one in folders
        ],
        "repositories": [_fields(one) for one in repositories],
        "downloads": [_about(one) for one in downloads],
    }


def _fields(one: caches.Repository) -> dict[str, Any]:
    return {
        "name": one.name,
        "path": str(one.path),
        "files": one.files,
        "bytes": one.bytes,
        "freed_if_removed": one.freed,
        "last_used": one.used.isoformat(timespec="seconds"),
    }


def _about(one: Kept) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "source": one.source,
        "bytes": one.bytes,
        "last_used": one.used.isoformat(timespec="seconds"),
    }


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    if not rows:
        return
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if size >= _KIBI:
            size, unit = size / _KIBI, larger
    return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"


def _day(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
