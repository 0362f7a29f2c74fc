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


class _FileAndLine(click.ParamType["tuple[Path, int]"]):
    """A line of a file, as editors and messages write it."""

    name = "FILE:LINE"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Path, int]:
        """The file and the number of the line."""
        match = _LINE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} is not FILE:LINE.", param, ctx)
        return Path(match["file"]), int(match["line"])


@click.command()
@click.argument("target", required=False, shell_complete=completion.targets)
@click.argument("path", required=False, shell_complete=completion.parameters)
@click.option(
    "--reverse",
    type=_FileAndLine(),
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
    reverse: tuple[Path, int] | None,
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
        if target is not None:
            raise click.UsageError("--reverse takes no TARGET and no PATH.", ctx)
        _reverse(paths, *reverse, output)
    elif target is None or path is None:
        missing = "TARGET" if target is None else "PATH"
        raise click.UsageError(f"Missing argument '{missing}'.", ctx)
    else:
        _explain(paths, target, path, output)


def _explain(paths: WorkPaths, target: str, path: str, output: str) -> None:
    result = explanation.explain(paths, target, path)
    content = explained.explanation_content(result)
    formats.show(output, content, explained.explanation_lines(result))


def _reverse(paths: WorkPaths, file: Path, line: int, output: str) -> None:
    # As messages name it, or as the shell completes it.
    below = paths.root / file
    file = below if below.is_file() else file.absolute()
    effects = line_effects.effects_of_line(paths, file, line)
    formats.show(output, explained.reverse_content(effects), explained.reverse_lines(effects))
