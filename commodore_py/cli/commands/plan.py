"""`commodore plan …`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters import yaml
from commodore_py.catalog.diff.text import diff_text
from commodore_py.cli.cluster_option import cluster_option
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.plan import results
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    config_of,
    format_option,
    output_option,
    own_api_options,
)
from commodore_py.delivery.simulation import Model
from commodore_py.workflows.catalog import several
from commodore_py.workflows.plans import (
    plan_here,
    problems_of,
    rendered,
    simulated,
    write_rendered,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.workflows.plans import PlanHere

_KINDS = {"slow": 0, "fail": 0, "degrade": 0, "lose": 1}
"""What happens to instances and clusters, with the number that counts without one."""
_DRIVERS = ("argocd", "flux", "plain")


@click.group(cls=LazyGroup)
def plan() -> None:
    """Show, check, simulate and render the order in which a cluster is deployed.

    The plan is `parameters.commodore.plan`. These commands read the working directory as the last
    compile left it; no cluster is contacted.
    """


@plan.command()
@cluster_option
@format_option("text", "json", "mermaid", "dot")
@click.pass_obj
def show(settings: Globals, /, cluster: str, output: str) -> None:
    """Show the steps of the plan, and what is not in it.

    Conditions are evaluated, and every cluster is registered just before its first user.

    \b
    As a picture:
      commodore plan show -o dot | dot -Tsvg >plan.svg
    """
    current_plan = _plan_here(settings, cluster)
    if output in ("mermaid", "dot"):
        streams.lines(results.picture(current_plan, output))
        return
    formats.show(output, results.shown(current_plan), results.plan_lines(current_plan))


@plan.command()
@click.option(
    "--driver",
    type=click.Choice(_DRIVERS),
    help="Check this driver instead of the configured ones.",
)
@cluster_option
@own_api_options
@output_option
@click.pass_obj
def check(
    settings: Globals,
    /,
    driver: str | None,
    cluster: str,
    output: str,
    **options: Any,
) -> None:
    """Check the plan and what the configured drivers render for it.

    The cluster is compiled in memory, with the checkouts of the working directory; a cluster that
    was not compiled here is gathered in a temporary folder. Nothing is written.

    \b
    After an edit of the hierarchy:
      commodore plan check
    Before the first compile:
      commodore plan check --cluster c-demo-1
    """
    problems = problems_of(compiling_config(settings, options), cluster, driver or "")
    formats.show(output, results.checked(problems), results.problem_lines(problems))
    if output == "text":
        messages.info(f"the plan is valid, {len(problems)} notices")


@plan.command()
@click.option(
    "--driver", type=click.Choice(_DRIVERS), required=True, help="What deploys the catalog."
)
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all manifests into this new or empty folder.",
)
@cluster_option
@output_option
@click.pass_obj
def render(
    settings: Globals,
    /,
    driver: str,
    output_dir: Path | None,
    cluster: str,
    output: str,
) -> None:
    """Show what a driver writes for the plan, as a diff of the manifests.

    The manifests are those of the last compile. The catalog is not written.

    \b
    For kubectl, as folders whose names are in order:
      commodore plan render --driver plain --output-dir steps
    """
    paths = several.paths_of(config_of(settings).paths, cluster)
    rendered_plan = rendered(paths, driver)
    if output_dir is not None:
        write_rendered(rendered_plan, output_dir, paths)
    if output != "text":
        streams.data(formats.structured(results.rendered(rendered_plan)))
        return
    for line in results.problem_lines(rendered_plan.problems):
        messages.info(line)
    if output_dir is not None:
        messages.info(f"wrote {len(rendered_plan.files)} files to {output_dir}")
    else:
        streams.result(formats.diff_lines(diff_text(rendered_plan.change)))


@plan.command("simulate")
@click.option("--down", is_flag=True, help="Delete everything, instead of creating it.")
@click.option(
    "--model",
    multiple=True,
    metavar="NAME=KIND[:N]",
    help="An instance or a cluster that is `slow:N` (ready after N calls), an instance that is"
    " `degrade` or does `fail` (with :N in round N only), or a cluster that is lost: `lose:N` from"
    " round N on; may be repeated.",
)
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set a parameter for this run; may be repeated.",
)
@cluster_option
@output_option
@click.pass_obj
def simulate_(
    settings: Globals,
    /,
    down: bool,
    model: tuple[str, ...],
    values: tuple[str, ...],
    cluster: str,
    output: str,
) -> int:
    """Simulate the steps of the plan, and show what happens in each round.

    Each round calls the whole plan once. A step needs two calls, unless it is slow. The exit code
    is 7 if the plan is not done after 100 rounds.

    \b
    What happens while shop is slow, and db fails in the fourth round:
      commodore plan simulate --model shop=slow:5 --model db=fail:4
    """
    changes = {}
    for value in values:
        path, sign, text = value.partition("=")
        if not sign or not path:
            raise click.UsageError(f"--set {value}: write PATH=VALUE.")
        changes[path] = yaml.load(text.encode(), name="--set")
    current_plan = _plan_here(settings, cluster)
    timeline = simulated(
        current_plan, _model(model), values=changes, direction="down" if down else "up"
    )
    formats.show(output, results.timeline(timeline), results.timeline_lines(timeline))
    return results.EXITS[timeline.result.state]


def _model(given: Iterable[str]) -> Model:
    behaviours: dict[str, dict[str, int]] = {kind: {} for kind in _KINDS}
    for text in given:
        name, _, what = text.partition("=")
        kind, sign, number = what.partition(":")
        if not name or kind not in _KINDS or not (number.isdecimal() if sign else kind != "slow"):
            raise click.UsageError(f"--model {text}: write NAME=slow:N, fail, degrade or lose.")
        behaviours[kind][name] = int(number) if sign else _KINDS[kind]
    return Model(
        yields=behaviours["slow"],
        fails=behaviours["fail"],
        degrades=frozenset(behaviours["degrade"]),
        lost=behaviours["lose"],
    )


def _plan_here(settings: Globals, cluster: str) -> PlanHere:
    return plan_here(several.paths_of(config_of(settings).paths, cluster))
