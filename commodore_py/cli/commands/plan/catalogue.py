"""`commodore catalogue …`."""

from __future__ import annotations

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import (
    HELP,
    Globals,
    config_of,
    output_option,
    verbose_option,
)


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def catalogue(ctx: click.Context, verbose: int) -> None:
    """Show the components of a cluster, with their documentation and versions.

    These commands read the checkouts of the working directory as the last compile left it; no
    remote is contacted. A component describes itself in `_metadata.catalogue` of its parameters:
    `documentation`, `license`, `icon` and a list of `tags`.
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@catalogue.command("list")
@output_option
@verbose_option
@click.pass_obj
def list_(settings: Globals, /, output: str, verbose: int) -> None:
    """List the components, the version in use, the newest one, and their instances.

    Versions are tags. Without one, the commit is shown.

    \b
    Which components have a newer version:
      commodore catalogue list | grep newest
    """
    from commodore_py.cli.output import catalogue, formats
    from commodore_py.workflows.catalogue import components_of

    found = components_of(config_of(settings.more_verbose(verbose)).paths)
    if output != "text":
        streams.data(formats.structured(catalogue.listed(found), output))
        return
    for line in catalogue.list_lines(found):
        streams.result(line)


@catalogue.command("show")
@click.argument("component", shell_complete=completion.components)
@click.option("--version", default="", metavar="TAG", help="Show the parameters of this version.")
@output_option
@verbose_option
@click.pass_obj
def show(settings: Globals, /, component: str, version: str, output: str, verbose: int) -> None:
    """Show what is known about a component, and its parameters with their defaults.

    \b
    What an update would change:
      commodore catalogue show web-shop >now
      commodore catalogue show web-shop --version v1.1.0 | diff now -
    """
    from commodore_py.cli.output import catalogue, formats
    from commodore_py.workflows.catalogue import component_named, defaults_of

    paths = config_of(settings.more_verbose(verbose)).paths
    one = component_named(paths, component)
    defaults = defaults_of(paths, one, version)
    if output != "text":
        streams.data(formats.structured(catalogue.shown(one, version, defaults), output))
        return
    for line in catalogue.show_lines(one, version, defaults):
        streams.result(line)
