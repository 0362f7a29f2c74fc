"""The cluster that a command is about: named, or the one of the working directory."""

from __future__ import annotations

import click

from commodore_py.cli.output import messages
from commodore_py.config import WorkPaths
from commodore_py.lieutenant.last_compile import cluster_id_in

from . import completion

cluster_option = click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="The cluster, where several were compiled in the working directory.",
)


def cluster_here(
    ctx: click.Context, _parameter: click.Parameter | None = None, named: str = ""
) -> str:
    """The cluster that is named, or else the one that the working directory was compiled for."""
    paths = WorkPaths(ctx.obj.working_dir)
    if named or ctx.resilient_parsing:
        return named
    if not paths.params_file.is_file():
        listing = "`commodore catalog list` lists the clusters."
        raise click.MissingParameter(listing, ctx, param_hint="'CLUSTER'", param_type="argument")
    cluster_id = cluster_id_in(paths)
    messages.info(f"Cluster {cluster_id}")
    return cluster_id
