"""`commodore live diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

from .reach import (
    REACH,
    check_reveal,
    check_unused,
    opened,
    optional_cluster,
    reveal_in,
    reveal_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.workflows.live.diff import LiveDiff

_Command = TypeVar("_Command", bound="Callable[..., Any]")


_FILES = ("live", "desired", "last_applied", "argocd")


def _files(name: str, help_text: str) -> Callable[[_Command], _Command]:
    return click.option(f"--{name}", multiple=True, metavar="FILE", help=help_text)


@click.command()
@optional_cluster
@_files("live", "File or folder with objects as the cluster has them; - for stdin.")
@_files("desired", "File or folder with objects as they are wanted; - for stdin.")
@_files(
    "last-applied",
    "File or folder with objects as they were applied last; by default what their annotation says.",
)
@click.option(
    "--settings",
    "argocd",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings of Argo CD with ignoreDifferences.",
)
@click.option(
    "--mode",
    type=click.Choice(("auto", "two-way")),
    default="auto",
    show_default=True,
    help="Compare with what was applied last as far as it is known, or never.",
)
@click.option(
    "--server-side",
    is_flag=True,
    help="Have the server predict each object by a dry run; needs the right to patch it.",
)
@reveal_options("Also compare the values of secret references with those of the cluster")
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes.")
@output_option
@verbose_option
@click.pass_obj
def diff(
    settings: Globals,
    /,
    cluster: str | None,
    live: tuple[str, ...],
    desired: tuple[str, ...],
    last_applied: tuple[str, ...],
    argocd: Path | None,
    mode: str,
    server_side: bool,
    exit_code: bool,
    output: str,
    verbose: int,
    **options: Any,
) -> int:
    """Show what applying the catalog, or objects in files, would change in a cluster.

    With CLUSTER, the catalog is compared with the cluster itself; hooks are left out, as only
    syncs apply them. Otherwise name files with --live and --desired.

    What the server writes, its defaults, other forms of the same value and secret references are
    not differences; --reveal compares the values of references, too. Values of Secrets are never
    shown; equal ones are the same run of `+`.

    \b
    The catalog and its cluster:
      commodore live diff c-demo-1
    A namespace and the catalog's objects in it, from files:
      kubectl get all -n shop -o yaml >live.yaml
      commodore live diff --live live.yaml --desired catalog/manifests/web-shop
    """
    settings = settings.more_verbose(verbose)
    quiet, two_way = settings.verbosity == 0, mode == "two-way"
    ctx = click.get_current_context()
    if cluster:
        check_unused(ctx, _FILES, "is for files: leave out the cluster.")
        if server_side and two_way:
            raise click.UsageError("--server-side and --mode two-way exclude each other.")
        check_reveal(options)
        own = {"cluster": cluster, **options}
        found = _of_cluster(settings, own, two_way=two_way, server_side=server_side)
    else:
        check_unused(ctx, (*REACH, "server_side", "reveal", "vault_addresses"), "needs a cluster.")
        if not live or not desired:
            raise click.UsageError("Name a cluster, or files with --live and --desired.")
        from commodore_py.workflows.live.diff import live_diff

        found = live_diff(live, desired, last_applied, settings=argocd, two_way=two_way)
    _show(found, output, quiet=quiet)
    if found.refused:
        return 1
    return CHANGES_FOUND if exit_code and found.diff else 0


def _of_cluster(
    settings: Globals, options: dict[str, Any], *, two_way: bool, server_side: bool
) -> LiveDiff:
    from commodore_py.cli.output import messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.compare import cluster_diff

    with opened(settings, options) as cluster:
        reveal = reveal_in(cluster, options)
        compared = cluster_diff(cluster, two_way=two_way, server_side=server_side, reveal=reveal)
        confirmed = cluster.identity.confirmed_by
    unseen = {str(target.id): why for target, why in compared.unseen}
    for note in clusters.asides(unseen, confirmed):
        messages.info(note)
    return compared.found


def _show(found: LiveDiff, output: str, *, quiet: bool) -> None:
    from commodore_py.cli.output import differences, formats, messages
    from commodore_py.cli.output.live import diffs

    for id_, why in found.refused.items():
        hint = "leave out --server-side to have it predicted from what was applied last"
        messages.error_with(f"{id_} is not compared: {why}", hint=hint, gap=True)
    if output != "text":
        streams.data(formats.structured(diffs.content(found), output))
        return
    streams.result(differences.shown(found.diff))
    for line in diffs.asides(found, quiet=quiet):
        messages.info(line)
