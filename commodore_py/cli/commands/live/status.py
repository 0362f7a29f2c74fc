"""`commodore live status` and `live tree`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.output import formats, messages
from commodore_py.cli.output.live import clusters, drifts
from commodore_py.cli.settings.options import Globals, output_option
from commodore_py.workflows.live.status import status_of, tree_of

from .reach import cluster_options, opened


@click.command()
@cluster_options
@output_option
@click.pass_obj
def status(settings: Globals, /, output: str, **options: Any) -> None:
    """Show how the applications of a catalog are doing in its cluster.

    For each: whether the cluster has what the catalog says, its health and what causes it, and
    the commit that was synced last. Then objects that left the catalog, and whether they can be
    pruned; and what others changed since the last sync, with the managers of each field. What
    cannot be read is named. Nothing is changed.

    \b
    All applications:
      commodore live status c-demo-1
    One of them, in the cluster of another context:
      commodore live status c-demo-1 --context staging --app web-shop
    """
    with opened(settings, options) as cluster:
        report = status_of(cluster)
    lines = (
        *clusters.status_lines(report),
        *clusters.orphan_lines(report.orphans),
        *drifts.lines(report.drift),
    )
    formats.show(output, clusters.status(report), lines)
    if output != "text":
        return
    clusters.show_asides(cluster, quiet=settings.verbosity == 0)
    for note in drifts.asides(report.drift):
        messages.info(note)
    if not report.orphans.complete:
        messages.info("the history of the catalog is cut off: nothing can be pruned")


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
        clusters.show_asides(cluster, quiet=settings.verbosity == 0)
