"""`commodore inventory explain`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from commodore_py.cli import completion
from commodore_py.cli.cluster_option import cluster_option
from commodore_py.cli.output import explained, formats
from commodore_py.cli.settings.options import output_option
from commodore_py.config import WorkPaths
from commodore_py.inventory.explain import explanation, line_effects
from commodore_py.workflows.catalog import several

_LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


@click.command()
@click.argument("target", required=False, shell_complete=completion.targets)
@click.argument("path", required=False, shell_complete=completion.parameters)
@click.option(
    "--reverse",
    metavar="FILE:LINE",
    help="Show what a line of a class file affects, instead.",
)
@cluster_option
@output_option
@click.pass_context
def explain(
    ctx: click.Context,
    /,
    target: str | None,
    path: str | None,
    reverse: str | None,
    cluster: str,
    output: str,
) -> None:
    """Show why the parameter at PATH has its value.

    TARGET is an instance, or `cluster` or the id of the cluster for what all instances have in
    common. PATH is written with dots, and list items with their index:

    \b
      commodore inventory explain web-shop web_shop.replicas
      commodore inventory explain cluster monitoring.channels[0]
      commodore inventory explain --reverse inventory/classes/t-demo/common.yml:12

    Every layer that sets the value is listed, the lowest first, with its file and line. The
    working directory must have been compiled before; nothing is fetched.
    """
    paths = several.paths_of(WorkPaths(ctx.obj.working_dir), cluster)
    if reverse is not None:
        match = _LINE.fullmatch(reverse)
        if match is None:
            raise click.BadParameter(
                f"{reverse!r} is not FILE:LINE.", ctx, param_hint="'--reverse'"
            )
        if target is not None:
            raise click.UsageError("--reverse takes no TARGET and no PATH.", ctx)
        # As messages name it, or as the shell completes it.
        below = paths.root / match["file"]
        file = below if below.is_file() else Path(match["file"]).absolute()
        effects = line_effects.effects_of_line(paths, file, int(match["line"]))
        formats.show(output, explained.reverse_content(effects), explained.reverse_lines(effects))
        return
    if target is None or path is None:
        missing = "TARGET" if target is None else "PATH"
        raise click.UsageError(f"Missing argument '{missing}'.", ctx)
    result = explanation.explain(paths, target, path)
    content = explained.explanation_content(result)
    formats.show(output, content, explained.explanation_lines(result))
