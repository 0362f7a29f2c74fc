"""`commodore version`."""

from __future__ import annotations

import click

TOOL_MISSING = 127


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def version() -> int:
    """Show our version, and those of the libraries and tools that shape the output.

    Ends with status 127 if helm, jb or kustomize is not installed.
    """
    from importlib.metadata import version as version_of  # noqa: PLC0415 - not for --help

    from commodore_py import COMPATIBLE_WITH, __version__  # noqa: PLC0415
    from commodore_py.workflows.tools import installed_tools  # noqa: PLC0415

    click.secho(f"Commodore {__version__} (compatible with Commodore {COMPATIBLE_WITH})", bold=True)
    click.secho("\nCore dependency versions", bold=True)
    for library in ("kapitan", "gojsonnet", "reclass-rs"):
        click.echo(f"{library}: {version_of(library)}")
    click.secho("\nExternal tool versions", bold=True)
    tools = installed_tools()
    for tool in tools:
        if tool.path is None:
            click.secho(f"{tool.name}: NOT FOUND IN PATH", fg="red", bold=True)
        else:
            click.echo(f"{tool.name}: {tool.path}, version: {tool.version}")
    return TOOL_MISSING if any(tool.path is None for tool in tools) else 0
