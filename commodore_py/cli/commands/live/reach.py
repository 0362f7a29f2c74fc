"""Options of commands that read a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commodore_py.cli import completion
from commodore_py.cli.cluster_option import cluster_here
from commodore_py.cli.settings.checks import vault_settings
from commodore_py.cli.settings.options import Globals, config_of, with_options
from commodore_py.workflows.references import revealing

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from commodore_py.workflows.live.cluster import LiveCluster, Reading


_Command = TypeVar("_Command", bound="Callable[..., Any]")


cluster_options = with_options(
    click.argument(
        "cluster", required=False, callback=cluster_here, shell_complete=completion.clusters
    ),
    click.option(
        "--kubeconfig", metavar="FILE", default="", help="Kubeconfig file; else KUBECONFIG."
    ),
    click.option(
        "--context",
        metavar="NAME",
        default="",
        help="Context of the kubeconfig; by default one named like the cluster, else the"
        " current one.",
    ),
    click.option(
        "--catalog",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="PATH",
        help="Checkout of the catalog; by default the one in the working directory.",
    ),
    click.option("--app", "application", metavar="NAME", default="", help="Only this application."),
    click.option(
        "-n",
        "--namespace",
        "namespaces",
        multiple=True,
        metavar="NAMESPACE",
        help="Read this namespace only, and what is outside of namespaces; repeatable.",
    ),
    click.option(
        "--trust-cluster",
        "trusted",
        metavar="UID",
        default="",
        help="UID of the cluster, if nothing else confirms it or it was built again.",
    ),
)
"""The cluster, how to reach it, and which of its objects are of interest."""


def check_unused(ctx: click.Context, names: tuple[str, ...], why: str) -> None:
    """Refuse options that do nothing here."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = next(param for param in ctx.command.params if param.name == name)
            raise click.UsageError(f"{option.opts[-1]} {why}")


def reveal_option(what: str) -> Callable[[_Command], _Command]:
    """Add whether the values of secret references are found."""
    return click.option(
        "--reveal",
        is_flag=True,
        help=f"{what}; values are read from VAULT_ADDR with VAULT_TOKEN, or VAULT_ROLE_ID and"
        " VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE, and never shown.",
    )


def reveal_in(cluster: LiveCluster) -> Callable[[str], str]:
    """Return a function that gives the values of references in a catalog."""
    return revealing(cluster.catalog, vault_settings())


def opened(
    settings: Globals, options: dict[str, Any], *, read: Reading = "all"
) -> AbstractContextManager[LiveCluster]:
    """The cluster and its catalog, read."""
    from commodore_py.workflows.live import cluster

    reach = {name: value for name, value in options.items() if name != "cluster"}
    return cluster.opened(
        config_of(settings), options["cluster"], cluster.Reach(**reach), read=read
    )
