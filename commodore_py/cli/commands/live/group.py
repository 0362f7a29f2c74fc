"""The group `commodore live`."""

from __future__ import annotations

import click

from commodore_py.cli.command_classes import LazyGroup

_COMMANDS = {
    "diff": (
        "commodore_py.cli.commands.live.diff:diff",
        "Show what a sync would change, and in which steps.",
    ),
    "health": (
        "commodore_py.cli.commands.live.health:health",
        "Show the health of objects in files.",
    ),
    "apply": (
        "commodore_py.cli.commands.live.apply:apply",
        "Apply the catalog to its cluster.",
    ),
    "status": (
        "commodore_py.cli.commands.live.status:status",
        "Show how applications are doing in a cluster.",
    ),
    "tree": (
        "commodore_py.cli.commands.live.status:tree",
        "Show objects of a cluster and what they own.",
    ),
    "wait": (
        "commodore_py.cli.commands.live.wait:wait",
        "Wait until applications are healthy.",
    ),
}


@click.group(cls=LazyGroup, commands_at=_COMMANDS)
def live() -> None:
    """Compare a catalog with its cluster, apply it, and wait for it.

    Commands that take a cluster read it with the access of a kubeconfig file; only `apply` changes
    anything. `health` reads files only.
    """
