"""`commodore demo`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("directory", default="commodore-demo", type=click.Path(path_type=Path))
def demo(directory: Path) -> None:
    """Write a playground into DIRECTORY: two clusters, their configuration and components.

    Everything is a local Git repository or a file: no server, no token and no network are needed.
    """
    from commodore_py.workflows.demo import write_demo  # noqa: PLC0415 - not for --help

    written = write_demo(directory)
    click.secho(f"A playground with {len(written.clusters)} clusters is in {directory}", bold=True)
    click.echo("\nTry:")
    for step in written.next_steps:
        click.echo(f"  {step}")
