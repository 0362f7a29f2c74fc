"""`commodore demo`."""

from __future__ import annotations

from pathlib import Path

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import HELP, output_option


@click.command(context_settings=HELP)
@click.argument("directory", default="commodore-demo", type=click.Path(path_type=Path))
@output_option
def demo(directory: Path, output: str) -> None:
    """Create a playground in DIRECTORY: two clusters, their configuration and components.

    Everything is a local Git repository or a file: no server, no token and no network are needed.
    """
    from commodore_py.cli.output import formats
    from commodore_py.workflows.demo import write_demo

    written = write_demo(directory)
    if output != "text":
        content = {
            "schema": "demo/v1",
            "directory": str(directory.resolve()),
            "clusters": list(written.clusters),
            "next_steps": list(written.next_steps),
        }
        streams.data(formats.structured(content, output))
        return
    streams.result(
        f"Created a playground with {len(written.clusters)} clusters in {directory}", bold=True
    )
    streams.result("\nTry:")
    for step in written.next_steps:
        streams.result(f"  {step}")
