"""`commodore plan …`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import (
    HELP,
    Globals,
    config_of,
    output_option,
    verbose_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.workflows.plans import PlanHere

_ROUNDS = 100
_DRIVERS = ("argocd", "flux", "plain")


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def plan(ctx: click.Context, verbose: int) -> None:
    """Show, check, simulate and render the order in which a cluster is deployed.

    The plan is `parameters.commodore.plan`. These commands read the working directory as the last
    compile left it; no cluster is contacted.
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@plan.command()
@click.option(
    "-o",
    "--output",
    type=click.Choice(("text", "json", "mermaid", "dot")),
    default="text",
    show_default=True,
    help="Format of the result on stdout.",
)
@verbose_option
@click.pass_obj
def show(settings: Globals, /, output: str, verbose: int) -> None:
    """Show the steps of the plan, and what is not in it.

    Conditions are evaluated, and every cluster is registered just before its first user.

    \b
    As a picture:
      commodore plan show -o dot | dot -Tsvg >plan.svg
    """
    from commodore_py.cli.output import formats
    from commodore_py.cli.output.plan import results

    here = _plan_here(settings.more_verbose(verbose))
    if output == "json":
        streams.data(formats.structured(results.shown(here), output))
        return
    lines = {"text": results.plan_lines, "mermaid": results.mermaid, "dot": results.dot}[output]
    for line in lines(here.plan):
        streams.result(line)


@plan.command()
@click.option("--driver", type=click.Choice(_DRIVERS), help="Also check what this driver renders.")
@verbose_option
@click.pass_obj
def check(settings: Globals, /, driver: str | None, verbose: int) -> None:
    """Check the plan, and report everything that is wrong with it.

    \b
    After an edit of the hierarchy:
      commodore plan check
    """
    from commodore_py.cli.output import messages
    from commodore_py.cli.output.plan import results
    from commodore_py.workflows.plans import rendered

    settings = settings.more_verbose(verbose)
    found = rendered(config_of(settings).paths, driver) if driver else _plan_here(settings)
    for line in results.problem_lines(found.problems):
        streams.result(line)
    messages.info(f"the plan is valid, {len(found.problems)} notices")


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
@output_option
@verbose_option
@click.pass_obj
def render(
    settings: Globals, /, driver: str, output_dir: Path | None, output: str, verbose: int
) -> None:
    """Show what a driver writes for the plan, as a diff of the manifests.

    The manifests are those of the last compile. The catalog is not written.

    \b
    For kubectl, as folders whose names are in order:
      commodore plan render --driver plain --output-dir steps
    """
    from commodore_py.cli.output import formats, messages
    from commodore_py.cli.output.differences import lines_of
    from commodore_py.cli.output.plan import results
    from commodore_py.workflows.plans import rendered, write_rendered

    paths = config_of(settings.more_verbose(verbose)).paths
    found = rendered(paths, driver)
    if output_dir is not None:
        write_rendered(found, output_dir, paths)
    if output != "text":
        streams.data(formats.structured(results.rendered(found), output))
        return
    for line in results.problem_lines(found.problems):
        messages.info(line)
    if output_dir is not None:
        messages.info(f"wrote {len(found.files)} files to {output_dir}")
    else:
        streams.result(formats.diff_lines(lines_of(found.change)))


@plan.command("simulate")
@click.option("--down", is_flag=True, help="Delete everything, instead of creating it.")
@click.option("--fail", multiple=True, metavar="INSTANCE[@ROUND]", help="An instance that fails.")
@click.option("--slow", multiple=True, metavar="INSTANCE=N", help="Calls before it is ready.")
@click.option("--degrade", multiple=True, metavar="INSTANCE", help="An instance that is Degraded.")
@click.option("--lose", multiple=True, metavar="CLUSTER[@ROUND]", help="A cluster that is lost.")
@click.option("--set", "values", multiple=True, metavar="PATH=VALUE", help="Another parameter.")
@click.option("--rounds", type=int, default=_ROUNDS, show_default=True, help="Most calls.")
@output_option
@verbose_option
@click.pass_obj
def simulate_(
    settings: Globals,
    /,
    down: bool,
    fail: tuple[str, ...],
    slow: tuple[str, ...],
    degrade: tuple[str, ...],
    lose: tuple[str, ...],
    values: tuple[str, ...],
    rounds: int,
    output: str,
    verbose: int,
) -> int:
    """Call the plan again and again in a made-up world, and show what happens.

    In each round the whole plan is called once. Every step needs two calls, unless it is slow.
    The exit code is 7 if it is not done after the last round.

    \b
    What happens while shop is slow, and db fails in the fourth round:
      commodore plan simulate --slow shop=5 --fail db@4
    """
    from commodore_py.adapters import yaml
    from commodore_py.cli.output import formats
    from commodore_py.cli.output.plan import results
    from commodore_py.delivery.simulation import Model
    from commodore_py.workflows.plans import simulated

    model = Model(
        yields=dict(_pairs(slow, "=", "--slow")),
        fails=dict(_pairs(fail, "@", "--fail", default=0)),
        degrades=frozenset(degrade),
        lost=dict(_pairs(lose, "@", "--lose", default=1)),
    )
    changes = {}
    for one in values:
        path, sign, text = one.partition("=")
        if not sign or not path:
            raise click.UsageError(f"--set {one}: write PATH=VALUE.")
        changes[path] = yaml.load(text.encode(), name="--set")
    here = _plan_here(settings.more_verbose(verbose))
    found = simulated(
        here, model, values=changes, direction="down" if down else "up", rounds=rounds
    )
    if output != "text":
        streams.data(formats.structured(results.timeline(found), output))
    else:
        for line in results.timeline_lines(found):
            streams.result(line)
    return results.EXITS[found.result.state]


def _pairs(
    given: Iterable[str], sign: str, option: str, *, default: int | None = None
) -> Iterable[tuple[str, int]]:
    for one in given:
        name, found, number = one.partition(sign)
        if not found and default is not None:
            yield name, default
        elif number.isdecimal():
            yield name, int(number)
        else:
            raise click.UsageError(f"{option} {one}: write NAME{sign}NUMBER.")


def _plan_here(settings: Globals) -> PlanHere:
    from commodore_py.workflows.plans import plan_here

    return plan_here(config_of(settings).paths)
