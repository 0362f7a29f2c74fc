"""`commodore live order`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli import completion
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option

if TYPE_CHECKING:
    from commodore_py.workflows.live.order import OrderReport


@click.command()
@click.argument("cluster", required=False, shell_complete=completion.clusters)
@click.option(
    "--catalog",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PATH",
    help="Checkout of the catalog of CLUSTER; by default the one in the working directory.",
)
@click.option(
    "-f",
    "--file",
    metavar="FILE",
    help="File or folder with objects, - for stdin; by default the compiled catalog.",
)
@click.option("--app", metavar="NAME", default="", help="Only the order of this application.")
@output_option
@verbose_option
@click.pass_obj
def order(
    settings: Globals,
    /,
    cluster: str | None,
    catalog: Path | None,
    file: str | None,
    app: str,
    output: str,
    verbose: int,
) -> None:
    """Show in which order Argo CD applies objects, and what it waits for.

    Phases, waves and kinds decide, then names. Objects belong to the application whose path holds
    their file; without applications, all are one. What is surprising is listed at the end.

    \b
    The catalog in the working directory:
      commodore live order
    One application of it:
      commodore live order --app web-shop
    Checked to be the catalog of a cluster:
      commodore live order c-demo-1
    """
    if cluster and file:
        raise click.UsageError("-f is for files: leave out the cluster.")
    if catalog and not cluster:
        raise click.UsageError("--catalog needs a cluster; -f takes any folder.")
    from commodore_py.workflows.live.objects import check_compiled
    from commodore_py.workflows.live.order import order_of

    config = config_of(settings.more_verbose(verbose))
    if cluster and not catalog:
        check_compiled(config, cluster)
    report = order_of(file or str(catalog or config.paths.catalog), only=app)
    _show(report, output)


def _show(report: OrderReport, output: str) -> None:
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.live import orders

    if output != "text":
        streams.data(formats.structured(orders.content(report), output))
        return
    for line in orders.lines(report):
        streams.result(line)
    if report.others:
        messages.info(f"{report.others} documents are not objects")
