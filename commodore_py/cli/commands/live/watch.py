"""`commodore live watch`."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, verbose_option
from commodore_py.cli.settings.types import Seconds

from .reach import cluster_options, opened


@click.command()
@cluster_options
@click.option(
    "--all", "everything", is_flag=True, help="Also changes that leave the health as it is."
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Lines for people, or a JSON object per line.",
)
@click.option("--timeout", type=Seconds(), help="Seconds until it ends; by default never.")
@verbose_option
@click.pass_obj
def watch(
    settings: Globals,
    /,
    everything: bool,
    output: str,
    timeout: int | None,
    verbose: int,
    **options: Any,
) -> None:
    """Print what changes in a cluster, until Ctrl-C.

    Objects that come and go, changes of their health, and kinds that are added or removed.
    Connections that end are made again; nothing is missed.

    \b
    One namespace, for a program:
      commodore live watch c-demo-1 -n shop -o json
    """
    from commodore_py.cli.output import messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.following import happenings

    settings = settings.more_verbose(verbose)
    with opened(settings, options, descendants=True, follow=True) as cluster:
        changes = happenings(cluster, everything=everything, seconds=timeout or math.inf)
        messages.info(f"watching {cluster.cache.info().objects} objects")
        for one in changes:
            if output == "json":
                streams.data(json.dumps(clusters.happening(one)))
            else:
                streams.result(clusters.happening_line(one))
