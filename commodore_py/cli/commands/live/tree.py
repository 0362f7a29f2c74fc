"""`commodore live tree`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.output import formats, messages
from commodore_py.cli.output.live import clusters
from commodore_py.cli.settings.options import Globals, output_option
from commodore_py.workflows.live.tree import tree_of

from .reach import cluster_options, opened


@click.command()
@cluster_options
@click.argument("root", required=False, default="")
@output_option
@click.pass_obj
def tree(settings: Globals, /, root: str, output: str, **options: Any) -> None:
    """Show the objects of applications and what they own, with their health.

    ROOT is an application, or an object as Kind/namespace/name. An owner that the object does not
    name, as that of Endpoints, is marked as inferred.

    \b
    One application:
      commodore live tree c-demo-1 web-shop
    One object:
      commodore live tree c-demo-1 Deployment/shop/web
    """
    with opened(settings, options, read="owned") as cluster:
        report = tree_of(cluster, root)
    content = clusters.tree(report, cluster.unseen_kinds(in_catalog=False))
    formats.show(output, content, clusters.tree_lines(report))
    if output == "text":
        for note in clusters.asides(cluster, quiet=settings.verbosity == 0):
            messages.info(note)
