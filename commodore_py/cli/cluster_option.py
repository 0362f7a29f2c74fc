"""`--cluster`, of commands about one of the clusters in a working directory."""

from __future__ import annotations

import click

from . import completion

cluster_option = click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="The cluster, where several were compiled in the working directory.",
)
