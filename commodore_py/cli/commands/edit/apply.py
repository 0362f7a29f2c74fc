"""`commodore edit apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import edit_config, run_operations, stdin_text, transaction_options

if TYPE_CHECKING:
    from commodore_py.cli.settings.options import Globals


_SCHEMA = "edit-request/v1"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@transaction_options
def apply(settings: Globals, /, file: str, **options: Any) -> int:
    """Carry out the operations that FILE lists as one edit: all of them, or none.

    `-` reads it from stdin.

    \b
      schema: edit-request/v1
      operations:
        - {op: set, path: web_shop.replicas, value: 3}
        - {op: append, path: monitoring.channels, values: [chat], scope: tenant}
    """
    from commodore_py.adapters.reading import content_of
    from commodore_py.workflows.editing.request_file import operations_in

    text = stdin_text().encode() if file == "-" else content_of(file)
    config = edit_config(settings, options)
    name = "stdin" if file == "-" else file
    return run_operations(settings, operations_in(config, text, name=name, schema=_SCHEMA), options)
