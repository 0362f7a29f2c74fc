"""`commodore catalog diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.catalog.diff.revisions import compared
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import differences, formats, streams
from commodore_py.cli.output.differences import as_json, as_markdown, as_text
from commodore_py.cli.settings.options import (
    Globals,
    config_of,
    diff_option,
    format_option,
)

if TYPE_CHECKING:
    from commodore_py.catalog.diff.revisions import Comparison
    from commodore_py.cli.output.differences import DiffForm


@click.command()
@click.argument("old", metavar="[REV]", default="HEAD")
@click.argument("new", metavar="[REV]", default="")
@click.option(
    "--catalog",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PATH",
    help="Checkout of a catalog; by default the one in the working directory.",
)
@diff_option("objects")
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes.")
@format_option("text", "json", "markdown")
@click.pass_obj
def diff(
    settings: Globals,
    /,
    old: str,
    new: str,
    catalog: Path | None,
    diff: DiffForm,
    exit_code: bool,
    output: str,
) -> int:
    """Show the differences between two commits of a catalog, or a commit and the checkout.

    \b
    Uncommitted changes of the last compile:
      commodore catalog diff
    The last push, for a comment on a pull request:
      commodore catalog diff HEAD~ HEAD -o markdown
    """
    directory = catalog or config_of(settings).paths.catalog
    by_lines = output == "text" and diff in ("text", "stat")
    with compared(directory, old, new or None, renames=by_lines) as comparison:
        text, changed = _shown(comparison, diff, output)
    streams.result(text)
    return CHANGES_FOUND if exit_code and changed else 0


def _shown(comparison: Comparison, form: DiffForm, output: str) -> tuple[str, bool]:
    change = comparison.change
    if output == "text" and form != "objects":
        return differences.text_of(change, form), bool(change)
    object_diff = differences.diff_of(change)
    if output == "text":
        return as_text.object_diff(object_diff), bool(object_diff)
    if output == "markdown":
        return as_markdown.object_diff(object_diff), bool(object_diff)
    content = {
        "schema": "catalog-diff/v1",
        "old": comparison.old,
        "new": comparison.new,
        **as_json.object_diff(object_diff),
    }
    return formats.structured(content), bool(object_diff)
