"""`commodore live apply`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.live import clusters, plans
from commodore_py.cli.settings.options import Globals, output_option
from commodore_py.cli.settings.types import SECONDS
from commodore_py.live.access.client import Writer
from commodore_py.model.difference import GRADES
from commodore_py.workflows.live import applying
from commodore_py.workflows.live.compare import cluster_diff
from commodore_py.workflows.live.execution import carry_out
from commodore_py.workflows.live.planning import plan_of

from .reach import cluster_options, opened, reveal_in, reveal_option


@click.command()
@cluster_options
@click.option(
    "--plan",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Do what this plan of `live diff --out` says, if catalog and cluster are as they were.",
)
@reveal_option("Apply objects with secret references, with their values")
@click.option("--prune", is_flag=True, help="Delete objects that the catalog no longer has.")
@click.option("--yes", is_flag=True, help="Do not prompt for confirmation.")
@click.option(
    "--max-grade",
    type=click.Choice(GRADES[::-1]),
    default="restart",
    show_default=True,
    help="Worst change that may be made.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Take over fields of other managers, and apply although Argo CD syncs by itself.",
)
@click.option(
    "--timeout", type=SECONDS, default=1800, show_default=True, help="Seconds to wait for a step."
)
@output_option
@click.pass_obj
def apply(
    settings: Globals,
    /,
    *,
    file: Path | None,
    reveal: bool,
    prune: bool,
    yes: bool,
    max_grade: str,
    force: bool,
    timeout: int,
    output: str,
    **options: Any,
) -> None:
    """Apply the catalog to its cluster, for a first start or an emergency.

    Everything is checked first: which cluster it is, what each change does, whether secret
    references are in the way (--reveal replaces them by their values). Objects are applied on the
    server, in the order of `live diff`; a killed run continues when it is started again.

    \b
    With a look before:
      commodore live apply c-demo-1
    A reviewed plan, without a prompt:
      commodore live diff c-demo-1 --out plan.json
      commodore live apply c-demo-1 --plan plan.json --yes
    """
    with opened(settings, options) as cluster:
        how = applying.How(
            force=force,
            max_grade=max_grade,  # type: ignore[arg-type]  # one of GRADES
            timeout=timeout,
            reveal=reveal_in(cluster) if reveal else None,
        )
        saved = applying.read_plan(file) if file is not None else None
        deletes = prune or (saved is not None and saved.deletes)
        plan = plan_of(cluster, cluster_diff(cluster, reveal=how.reveal), prune=deletes)
        if saved is not None:
            applying.check_saved(saved, plan, cluster.state)
        applying.check(cluster, plan, how)
        if output == "text":
            for line in plans.lines(plan):
                streams.result(line)
        clusters.show_asides(cluster, quiet=settings.verbosity == 0)
        if not yes and any(action.what != "keep" for action in plan.actions):
            question = f"Apply this to {cluster.id} at {cluster.client.access.server}?"
            if not messages.confirm(question, undone="nothing was applied", in_advance="--yes"):
                return
        writer = Writer(cluster.client.access, timeout=settings.request_timeout)
        done = carry_out(cluster, writer, plan, how, report=messages.info)
    if output != "text":
        streams.data(formats.structured(plans.applied(done, plan)))
