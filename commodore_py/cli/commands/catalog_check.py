"""`commodore catalog check`."""

from __future__ import annotations

from pathlib import Path

import click

from commodore_py.cli import completion
from commodore_py.cli.output import streams
from commodore_py.cli.output.problems import Outcome, shown
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.checks import online_option, vault_settings
from commodore_py.cli.settings.options import (
    Globals,
    config_of,
    problem_output_option,
    strict_option,
)
from commodore_py.workflows.catalog.check import check as run


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
