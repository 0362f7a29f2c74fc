"""`commodore edit options`."""

from __future__ import annotations

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option

from .options import path_argument


@click.command()
@path_argument
@output_option
@verbose_option
@click.pass_obj
def options(settings: Globals, /, path: str, output: str, verbose: int) -> None:
    """List values that PATH may have, the most likely first.

    They come from the schema of the component, else from its defaults and from what any class
    sets. Versions are those of the last fetch.
    """
    from commodore_py.workflows.editing.options import options_at

    found = options_at(config_of(settings.more_verbose(verbose)).paths, path)
    if output != "text":
        from commodore_py.cli.output import formats

        listed = [one._asdict() for one in found]
        content = {"schema": "edit-options/v1", "path": path, "options": listed}
        streams.data(formats.structured(content, output))
        return
    for one in found:
        streams.result(f"{one.value}  ({one.source})")
