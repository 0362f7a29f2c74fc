"""`commodore live orphans`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

from .reach import cluster_options, opened


@click.command()
@cluster_options
@click.option(
    "--since", metavar="REV", default="", help="Oldest commit of the catalog that is considered."
)
@output_option
@verbose_option
@click.pass_obj
def orphans(settings: Globals, /, since: str, output: str, verbose: int, **options: Any) -> None:
    """Show objects of a cluster that its catalog does not have.

    To delete: an earlier commit had it, and it has the mark of an application. Kept: something
    says that it must stay. Foreign: of others, in namespaces of the catalog. Unknown: only one of
    the two holds, so that nothing should delete it. Objects with an owner are not listed.

    \b
    All of them:
      commodore live orphans c-demo-1
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.orphans import orphans_of

    settings = settings.more_verbose(verbose)
    with opened(settings, options) as cluster:
        report = orphans_of(cluster, since=since)
        confirmed = cluster.identity.confirmed_by
    if output != "text":
        streams.data(formats.structured(clusters.orphans(report), output))
        return
    for line in clusters.orphan_lines(report):
        streams.result(line)
    for note in clusters.asides(report.unseen, confirmed):
        messages.info(note)
    if not report.complete:
        messages.info("the history of the catalog is cut off: candidates are unknown")
