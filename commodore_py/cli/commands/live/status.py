"""`commodore live status`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

from .reach import cluster_options, opened


@click.command()
@cluster_options
@output_option
@verbose_option
@click.pass_obj
def status(settings: Globals, /, output: str, verbose: int, **options: Any) -> None:
    """Show how the applications of a catalog are doing in its cluster.

    For each: whether the cluster has what the catalog says, its health and what causes it, and
    the commit that was synced last. What cannot be read is named. Nothing is changed.

    \b
    All applications:
      commodore live status c-demo-1
    Of another context, as another user:
      commodore live status c-demo-1 --context staging --as jane
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.status import status_of

    settings = settings.more_verbose(verbose)
    with opened(settings, options) as cluster:
        report = status_of(cluster)
    if output != "text":
        streams.data(formats.structured(clusters.status(report), output))
        return
    for line in clusters.status_lines(report):
        streams.result(line)
    for note in clusters.asides(report.unseen, report.confirmed_by):
        messages.info(note)
