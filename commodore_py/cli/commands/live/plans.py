"""`commodore live diff` and `live apply`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters.files import write_if_changed
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.differences import as_text
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

if TYPE_CHECKING:
    from commodore_py.workflows.live.compare import LiveDiff
    from commodore_py.workflows.live.planning import Plan


@click.command()
@cluster_options
@click.option(
    "--server-side",
    is_flag=True,
    help="Have the server predict each object by a dry run; needs the right to patch it.",
)
@reveal_option("Also compare the values of secret references with those of the cluster")
@click.option("--prune", is_flag=True, help="Delete objects that the catalog no longer has.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan to FILE, for `live apply --plan`.",
)
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes.")
@output_option
@click.pass_obj
def diff(
    settings: Globals,
    /,
    *,
    server_side: bool,
    reveal: bool,
    prune: bool,
    out: Path | None,
    exit_code: bool,
    output: str,
    **options: Any,
) -> int:
    """Show what a sync of the catalog would change in its cluster, and in which steps.

    What the server writes, its defaults, other forms of the same value and secret references are
    not differences; --reveal compares the values of references, too. Values of Secrets are never
    shown; equal ones are the same run of `+`. Nothing is changed.

    Phases and waves of the steps are those of the driver. Each change has a grade: none, restart,
    outage, recreate or data-loss.

    \b
    What would happen:
      commodore live diff c-demo-1
    With deletions, kept for `live apply`:
      commodore live diff c-demo-1 --prune --out plan.json
    """
    with opened(settings, options) as cluster:
        live_diff = cluster_diff(
            cluster, server_side=server_side, reveal=reveal_in(cluster) if reveal else None
        )
        plan = plan_of(cluster, live_diff, prune=prune)
    _show(live_diff, plan, output, quiet=settings.verbosity == 0)
    clusters.show_asides(cluster, quiet=settings.verbosity == 0)
    if live_diff.refused:
        return 1
    if out is not None:
        content = formats.structured(plans.content(plan))
        write_if_changed(out, content.encode() + b"\n", private=True)
    changes = live_diff.diff or any(action.what == "delete" for action in plan.actions)
    return CHANGES_FOUND if exit_code and changes else 0


def _show(live_diff: LiveDiff, plan: Plan, output: str, *, quiet: bool) -> None:
    for id_, why in live_diff.refused.items():
        hint = "leave out --server-side to have it predicted from what was applied last"
        messages.error_with(f"{id_} is not compared: {why}", hint=hint, gap=True)
    if output != "text":
        streams.data(formats.structured(plans.diff(live_diff, plan)))
        return
    streams.result(as_text.object_diff(live_diff.diff))
    if not live_diff.refused:
        streams.lines(plans.lines(plan))
    for line in plans.diff_asides(live_diff, quiet=quiet):
        messages.info(line)


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
            streams.lines(plans.lines(plan))
        clusters.show_asides(cluster, quiet=settings.verbosity == 0)
        if not yes and any(action.what != "keep" for action in plan.actions):
            question = f"Apply this to {cluster.id} at {cluster.client.access.server}?"
            if not messages.confirm(question, undone="nothing was applied", in_advance="--yes"):
                return
        writer = Writer(cluster.client.access, timeout=settings.request_timeout)
        done = carry_out(cluster, writer, plan, how, report=messages.info)
    if output != "text":
        streams.data(formats.structured(plans.applied(done, plan)))
