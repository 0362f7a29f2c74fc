"""`commodore live status`, `live tree` and `live wait`."""

from __future__ import annotations

import time
from typing import Any

import click

from commodore_py.cli.exit_codes import TIME_IS_UP
from commodore_py.cli.output import formats, messages
from commodore_py.cli.output.live import clusters
from commodore_py.cli.output.plan.results import EXITS, waited
from commodore_py.cli.settings.options import Globals, config_of, output_option
from commodore_py.cli.settings.types import SECONDS
from commodore_py.workflows.catalog import several
from commodore_py.workflows.live.status import status_of, tree_of
from commodore_py.workflows.live.waiting import line_of, wait_for, wait_for_plan
from commodore_py.workflows.plans import plan_here

from .reach import check_unused, cluster_options, opened


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
        *clusters.drift_lines(report.drift),
    )
    formats.show(output, clusters.status(report), lines)
    if output != "text":
        return
    clusters.show_asides(cluster, quiet=settings.verbosity == 0)
    for note in clusters.drift_asides(report.drift):
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
@click.option("--timeout", type=SECONDS, default=1800, show_default=True, help="Seconds to wait.")
@click.option("--plan", is_flag=True, help="Wait for the steps of the plan, in its order.")
@click.option(
    "--fail-fast", is_flag=True, help="With --plan: also end at errors that may be temporary."
)
@output_option
@click.pass_obj
def wait(
    settings: Globals,
    /,
    goal: Any,
    timeout: int,
    output: str,
    *,
    plan: bool,
    fail_fast: bool,
    **options: Any,
) -> int:
    """Wait until the objects of a catalog are healthy, synced or gone.

    The exit code is 0 when they are, 1 as soon as one has failed or cannot be read, and 7 after
    the timeout, with a list of the objects that are left.

    --plan follows the plan of the working directory: the next steps begin when Argo CD or Flux
    reports an instance as ready. --for gone follows it backwards. Remote clusters are not
    contacted, and nothing is written.

    \b
    After a push:
      commodore live wait c-demo-1 --for synced && commodore live wait c-demo-1
    One application:
      commodore live wait c-demo-1 --app web-shop --timeout 300
    The plan:
      commodore live wait c-demo-1 --plan
    """
    until = time.monotonic() + timeout
    if plan:
        return _follow(settings, options, goal, output, fail_fast=fail_fast, until=until)
    check_unused(click.get_current_context(), ("fail_fast",), "is for --plan")
    with opened(settings, options, read="targets") as cluster:
        left = wait_for(cluster, goal, until=until, report=messages.info)
    formats.show(output, clusters.left(goal, left), (f"{item.id}: {item.why}" for item in left))
    return TIME_IS_UP if left else 0


def _follow(
    settings: Globals,
    options: dict[str, Any],
    goal: str,
    output: str,
    *,
    fail_fast: bool,
    until: float,
) -> int:
    ctx = click.get_current_context()
    check_unused(ctx, ("application", "namespaces"), "cannot be combined with --plan")
    if goal == "synced":
        raise click.UsageError("--plan waits until its steps are healthy or gone.")
    paths = config_of(settings).paths
    if several.compiled_in(paths):
        paths = several.paths_of(paths, options["cluster"])
    current = plan_here(paths)
    with opened(settings, options, read="targets") as cluster:
        result = wait_for_plan(
            *(cluster, current, messages.info),
            gone=goal == "gone",
            fail_fast=fail_fast,
            until=until,
        )
    lines = (line_of(step) for step in result.steps)
    formats.show(output, waited(goal, result), lines)
    return EXITS[result.result.state]
