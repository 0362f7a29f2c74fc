"""`commodore catalog check` and `catalog diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.catalog.diff.revisions import compared
from commodore_py.cli import completion
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import differences, formats, streams
from commodore_py.cli.output.differences import as_json, as_markdown, as_text
from commodore_py.cli.output.problems import Outcome, shown
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.checks import online_option, vault_settings
from commodore_py.cli.settings.options import (
    Globals,
    config_of,
    diff_option,
    format_option,
    problem_output_option,
    strict_option,
)
from commodore_py.workflows.catalog.check import check as run

if TYPE_CHECKING:
    from commodore_py.catalog.diff.revisions import Comparison
    from commodore_py.cli.output.differences import DiffForm


@click.command()
@click.argument("cluster", required=False, default="", shell_complete=completion.clusters)
@click.option(
    "--catalog",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PATH",
    help="Check the manifests below this folder, such as a checkout of a catalog, instead of the"
    " last compile in the working directory.",
)
@online_option
@click.option(
    "--server",
    is_flag=True,
    help="Also ask an API server about each object, by a dry run; nothing is changed there, and"
    " no Secret is sent.",
)
@click.option(
    "--context",
    metavar="NAME",
    default="",
    help="Context of the kubeconfig for --server; by default one named like the cluster, else the"
    " current one.",
)
@strict_option
@problem_output_option
@click.pass_obj
def check(
    settings: Globals,
    /,
    cluster: str,
    catalog: Path | None,
    online: bool,
    server: bool,
    context: str,
    strict: bool,
    output: str,
) -> int:
    """Check the compiled catalog of CLUSTER before its Kubernetes rejects it.

    \b
    The last compile in the working directory:
      commodore catalog check
    Any folder of manifests, without the hierarchy that made them:
      commodore catalog check --catalog manifests
    A dry run by the API server of the cluster:
      commodore catalog check --server
    """
    vault = vault_settings() if online else None
    config = config_of(settings, result_cache=directories.caches().get("result_cache"))
    checked, verdict = run(
        config,
        cluster,
        catalog,
        vault=vault,
        server=context if server else None,
        strict=strict,
    )
    about = cluster or str(catalog or "")
    outcome = Outcome(verdict, "catalog check", about, checked.objects, checked.runs)
    text = shown(outcome, output, verbose=settings.verbosity > 0)
    (streams.result if output in ("text", "markdown") else streams.data)(text)
    return 1 if verdict.failing else 0


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
