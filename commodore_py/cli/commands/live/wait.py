"""`commodore live wait`."""

from __future__ import annotations

from typing import Any

import click

from commodore_py.cli.exit_codes import TIME_IS_UP
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option
from commodore_py.cli.settings.types import Seconds

from .reach import cluster_options, opened


@click.command()
@cluster_options
@click.option(
    "--for",
    "goal",
    type=click.Choice(("healthy", "synced", "gone")),
    default="healthy",
    show_default=True,
    help="What to wait for.",
)
@click.option("--timeout", type=Seconds(), default=1800, show_default=True, help="Seconds to wait.")
@output_option
@verbose_option
@click.pass_obj
def wait(
    settings: Globals, /, goal: Any, timeout: int, output: str, verbose: int, **options: Any
) -> int:
    """Wait until the objects of a catalog are healthy, synced or gone.

    Exits with status 0 when they are, with 1 as soon as one has failed or cannot be read, and with
    7 when the time is up: then it lists what is left.

    \b
    After a push:
      commodore live wait c-demo-1 --for synced && commodore live wait c-demo-1
    One application:
      commodore live wait c-demo-1 --app web-shop --timeout 300
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import clusters
    from commodore_py.workflows.live.waiting import wait_for

    settings = settings.more_verbose(verbose)
    with opened(settings, options, follow=True) as cluster:
        left = wait_for(cluster, goal, seconds=timeout, report=messages.info)
    if output != "text":
        streams.data(formats.structured(clusters.left(goal, left), output))
    elif left:
        for one in left:
            streams.result(clusters.left_line(one))
    return TIME_IS_UP if left else 0
