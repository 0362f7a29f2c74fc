"""`commodore live diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, output_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.workflows.live.diff import LiveDiff

_Command = TypeVar("_Command", bound="Callable[..., Any]")


def _files(name: str, help_text: str, *, required: bool = False) -> Callable[[_Command], _Command]:
    return click.option(
        f"--{name}", multiple=True, required=required, metavar="FILE", help=help_text
    )


@click.command()
@_files("live", "File or folder with objects as the cluster has them; - for stdin.", required=True)
@_files("desired", "File or folder with objects as they are wanted; - for stdin.", required=True)
@_files(
    "last-applied",
    "File or folder with objects as they were applied last; by default what their annotation says.",
)
@click.option(
    "--settings",
    "argocd",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings of Argo CD with ignoreDifferences.",
)
@click.option(
    "--mode",
    type=click.Choice(("auto", "two-way")),
    default="auto",
    show_default=True,
    help="Compare with what was applied last as far as it is known, or never.",
)
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes.")
@output_option
@verbose_option
@click.pass_obj
def diff(
    settings: Globals,
    /,
    live: tuple[str, ...],
    desired: tuple[str, ...],
    last_applied: tuple[str, ...],
    argocd: Path | None,
    mode: str,
    exit_code: bool,
    output: str,
    verbose: int,
) -> int:
    """Show what applying objects would change in a cluster, from files.

    What the server writes, its defaults, other forms of the same value and secret references are
    not differences. Values of Secrets are never shown; equal ones are the same run of `+`.

    \b
    A namespace and the catalog's objects in it:
      kubectl get all -n shop -o yaml >live.yaml
      commodore live diff --live live.yaml --desired catalog/manifests/web-shop
    """
    from commodore_py.workflows.live.diff import live_diff

    quiet = settings.more_verbose(verbose).verbosity == 0
    found = live_diff(live, desired, last_applied, settings=argocd, two_way=mode == "two-way")
    _show(found, output, quiet=quiet)
    return CHANGES_FOUND if exit_code and found.diff else 0


def _show(found: LiveDiff, output: str, *, quiet: bool) -> None:
    from commodore_py.cli.output import differences, formats, live_diffs, messages

    if output != "text":
        streams.data(formats.structured(live_diffs.content(found), output))
        return
    streams.result(differences.shown(found.diff))
    for line in live_diffs.asides(found, quiet=quiet):
        messages.info(line)
