"""The group `commodore live`."""

from __future__ import annotations

import click

from commodore_py.cli.command_classes import LazyGroup

_COMMANDS = {
    "diff": (".live.plans:diff", "Show what a sync would change, and in which steps."),
    "health": (".live.health:health", "Show the health of objects in files."),
    "apply": (".live.plans:apply", "Apply the catalog to its cluster."),
    "status": (".live.status:status", "Show how applications are doing in a cluster."),
    "tree": (".live.status:tree", "Show objects of a cluster and what they own."),
    "wait": (".live.status:wait", "Wait until applications are healthy."),
}


@click.group(cls=LazyGroup, commands_at=_COMMANDS)
def live() -> None:
    """Compare a catalog with its cluster, apply it, and wait for it.

    Commands that take a cluster read it with the access of a kubeconfig file; only `apply` changes
    anything. `health` reads files only.
    """
