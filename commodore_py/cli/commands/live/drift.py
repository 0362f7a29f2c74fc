"""`commodore live drift`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

from .reach import cluster_options, opened


@click.command()
@cluster_options
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if anything drifted.")
@output_option
@verbose_option
@click.pass_obj
def drift(settings: Globals, /, exit_code: bool, output: str, verbose: int, **options: Any) -> int:
    """Show what others changed in a cluster since it was synced, and who.

    Each application is compared with the commit of the catalog that was synced last, not with what
    is compiled here. Of each field, its managers are named; a manager wrote the field at the time
    that is shown, or before.

    \b
    Everything:
      commodore live drift c-demo-1
    For a job that fails if somebody changed an application by hand:
      commodore live drift c-demo-1 --app web-shop --exit-code
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import clusters, drifts
    from commodore_py.workflows.live.drift import drift_of

    settings = settings.more_verbose(verbose)
    with opened(settings, options) as cluster:
        report = drift_of(cluster)
        confirmed = cluster.identity.confirmed_by
    if output != "text":
        streams.data(formats.structured(drifts.content(report), output))
    else:
        for line in drifts.lines(report):
            streams.result(line)
        for note in (*drifts.asides(report), *clusters.asides(report.unseen, confirmed)):
            messages.info(note)
    return CHANGES_FOUND if exit_code and report.objects else 0
