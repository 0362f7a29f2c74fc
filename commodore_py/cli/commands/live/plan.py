"""`commodore live plan`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

from .reach import check_reveal, cluster_options, opened, reveal_in, reveal_options


@click.command()
@cluster_options
@reveal_options("Also change what has another value than its secret reference")
@click.option("--prune", is_flag=True, help="Delete objects that the catalog no longer has.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the plan to FILE, for `live apply --plan`.",
)
@output_option
@verbose_option
@click.pass_obj
def plan(
    settings: Globals, /, prune: bool, out: Path | None, output: str, verbose: int, **options: Any
) -> None:
    """Show what a sync of the catalog would do in its cluster, step by step.

    Phases and waves are those of the driver; what is as wanted is left out. Each change has a
    grade: none, restart, outage, recreate or data-loss. Nothing is changed.

    \b
    What would happen:
      commodore live plan c-demo-1
    With deletions, kept for `live apply`:
      commodore live plan c-demo-1 --prune --out plan.json
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import clusters, plans
    from commodore_py.workflows.live.planning import plan_of

    settings = settings.more_verbose(verbose)
    check_reveal(options)
    with opened(settings, options) as cluster:
        found = plan_of(cluster, prune=prune, reveal=reveal_in(cluster, options))
        confirmed = cluster.identity.confirmed_by
    content = plans.content(found)
    if out is not None:
        from commodore_py.adapters.files import write_if_changed

        write_if_changed(out, formats.structured(content, "json").encode() + b"\n", private=True)
    if output != "text":
        streams.data(formats.structured(content, output))
        return
    for line in plans.lines(found):
        streams.result(line)
    for note in clusters.asides(found.unseen, confirmed):
        messages.info(note)
