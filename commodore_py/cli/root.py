"""The `commodore` command itself and its global options."""

from __future__ import annotations

from pathlib import Path

import click

from commodore_py import __version__

from .colour import colours
from .lazy import LazyGroup
from .options import Globals, verbose_option

_COMMANDS = {
    "catalog": ("commodore_py.cli.catalog:catalog", "Compile, list and clean cluster catalogs."),
    "demo": ("commodore_py.cli.demo:demo", "Write a playground that needs no server."),
    "version": ("commodore_py.cli.version:version", "Show our version and those of the tools."),
}


@click.command(
    cls=LazyGroup,
    commands_at=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="New here? `commodore demo` writes a playground and says what to try.",
)
@click.version_option(__version__, prog_name="commodore")
@verbose_option
@click.option(
    "-d",
    "--working-dir",
    default="./",
    show_default=True,
    envvar="COMMODORE_WORKING_DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where inventory, dependencies and catalog are kept.",
)
@click.option(
    "--request-timeout",
    default=5,
    show_default=True,
    envvar="COMMODORE_REQUEST_TIMEOUT",
    type=int,
    help="Seconds to wait for an answer over HTTP.",
)
@click.pass_context
def commodore(ctx: click.Context, verbose: int, working_dir: Path, request_timeout: int) -> None:
    """Compile the catalogs that Argo CD applies to your Kubernetes clusters."""
    ctx.color = colours()
    ctx.obj = Globals(working_dir.resolve(), request_timeout).more_verbose(verbose)
