"""The group `commodore live`."""

from __future__ import annotations

import click

from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.settings.options import HELP, verbose_option

_COMMANDS = {
    "diff": (
        "commodore_py.cli.commands.live.diff:diff",
        "Show what applying objects would change.",
    ),
    "health": (
        "commodore_py.cli.commands.live.health:health",
        "Show the health of objects in files.",
    ),
    "order": (
        "commodore_py.cli.commands.live.order:order",
        "Show in which order Argo CD applies objects.",
    ),
}


@click.group(cls=LazyGroup, commands_at=_COMMANDS, context_settings=HELP)
@verbose_option
@click.pass_context
def live(ctx: click.Context, verbose: int) -> None:
    """Predict what a cluster and Argo CD make of manifests.

    These commands read files only: no cluster is contacted.
    """
    ctx.obj = ctx.obj.more_verbose(verbose)
