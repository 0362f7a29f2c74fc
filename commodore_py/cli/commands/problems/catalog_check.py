"""`commodore catalog check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli import completion
from commodore_py.cli.output import streams
from commodore_py.cli.settings.checks import (
    check_options,
    online_options,
    problem_output_option,
    vault_settings,
)
from commodore_py.cli.settings.options import Globals, config_of, strict_option, verbose_option

if TYPE_CHECKING:
    from commodore_py.checks.base import Version


@click.command()
@click.argument("cluster", required=False, default="", shell_complete=completion.clusters)
@click.option(
    "--on",
    default="compiled",
    show_default=True,
    metavar="FOLDER|REV",
    help="Check the manifests in a folder, or in a commit of the catalog, instead of the last"
    " compile in the working directory; what has a `/` is a folder.",
)
@click.option(
    "--catalog",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="PATH",
    help="Checkout of a catalog; by default the one in the working directory.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Run this check; may be repeated.")
@click.option("--skip", multiple=True, metavar="NAME", help="Omit this check; may be repeated.")
@click.option(
    "--kubernetes-version",
    metavar="1.NN",
    help="Version of Kubernetes; by default the one that the cluster reported.",
)
@check_options
@online_options
@click.option(
    "--cache/--no-cache",
    default=True,
    show_default=True,
    help="Use results of earlier checks for documents that did not change.",
)
@strict_option
@problem_output_option
@verbose_option
@click.pass_obj
def check(
    settings: Globals,
    /,
    cluster: str,
    on: str,
    catalog: Path | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    kubernetes_version: str | None,
    policy_engine: str,
    online: bool,
    cache: bool,
    strict: bool,
    output: str,
    verbose: int,
) -> int:
    """Check the compiled catalog of CLUSTER before its Kubernetes rejects it.

    \b
    The last compile in the working directory:
      commodore catalog check
    Any folder of manifests, for another version of Kubernetes:
      commodore catalog check --on catalog/manifests --kubernetes-version 1.35
    """
    from commodore_py.cli.output.problems import shown
    from commodore_py.cli.output.problems.outcome import Outcome
    from commodore_py.cli.settings import directories
    from commodore_py.workflows.catalog.check import CheckRequest
    from commodore_py.workflows.catalog.check import check as run

    vault = vault_settings(read_values=False) if online else None
    version = _version(kubernetes_version)
    target, revision = _target(on)
    request = CheckRequest(
        cluster, target, revision, catalog, only, skip, version, policy_engine, vault
    )
    folder = directories.cache_folder() if cache else None
    config = config_of(
        settings.more_verbose(verbose),
        result_cache=directories.result_cache(folder) if folder else None,
    )
    checked, verdict = run(config, request, strict=strict)
    about = cluster or (on if target or revision else "")
    outcome = Outcome(verdict, "catalog check", about, checked.objects, checked.runs)
    text = shown(outcome, output, verbose=settings.verbosity + verbose > 0)
    (streams.result if output in ("text", "markdown") else streams.data)(text)
    return 1 if verdict.failing else 0


def _target(text: str) -> tuple[Path | None, str]:
    """The folder or the commit to check."""
    from commodore_py.errors import CommodoreError

    if text == "compiled":
        return None, ""
    path = Path(text)
    if path.is_dir():
        return path, ""
    if "/" in text:
        raise CommodoreError("no such folder", where=text)
    return None, text


def _version(text: str | None) -> Version | None:
    from commodore_py.checks.run import version_of
    from commodore_py.errors import UsageError

    found = version_of(text) if text else None
    if text and found is None:
        raise UsageError(f"--kubernetes-version {text}: not a version", hint="write it as 1.34")
    return found
