"""`commodore edit component …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import messages

from .options import edit_config, edit_options, run_requests

if TYPE_CHECKING:
    from commodore_py.cli.settings.options import Globals


@click.group(cls=LazyGroup)
def component() -> None:
    """Add and remove components and packages, and set their versions.

    A package is named pkg.NAME.
    """


@component.command()
@click.argument("name")
@click.option("--url", default="", metavar="URL", help="URL of the repository.")
@click.option("--version", default="", metavar="VERSION", help="Default: the newest release.")
@click.option("--path", default="", metavar="PATH", help="Folder in the repository.")
@click.option("--as", "instance", default="", metavar="INSTANCE", help="Name of the instance.")
@edit_options
def add(
    settings: Globals,
    /,
    name: str,
    url: str,
    version: str,
    path: str,
    instance: str,
    **options: Any,
) -> int:
    """Add component NAME: its entry and its application.

    \b
      commodore edit component add backup --url https://git.example.com/component-backup.git
    """
    from commodore_py.workflows.editing.components import requests_of_add

    entry = {"url": url, "version": version, "path": path}
    config = edit_config(settings, options)
    return run_requests(settings, requests_of_add(config, name, entry, instance), options)


@component.command()
@click.argument("name", shell_complete=completion.components)
@edit_options
def remove(settings: Globals, /, name: str, **options: Any) -> int:
    """Remove component NAME: its application, and its entry unless something else uses it."""
    from commodore_py.workflows.editing.components import requests_of_remove

    config = edit_config(settings, options)
    requests, stays = requests_of_remove(config.paths, name)
    for text in stays:
        messages.info(f"Of {name}, {text}")
    return run_requests(settings, requests, options)


@component.command()
@click.argument("name", shell_complete=completion.components)
@click.argument("version", shell_complete=completion.versions)
@edit_options
def version(settings: Globals, /, name: str, version: str, **options: Any) -> int:
    """Set the version of component NAME to one that its repository has."""
    from commodore_py.workflows.editing.components import requests_of_version

    config = edit_config(settings, options)
    return run_requests(settings, requests_of_version(config, name, version), options)
