"""Options of commands that read a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from commodore_py.cli import completion
from commodore_py.cli.settings.options import Globals, config_of, with_options

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from commodore_py.workflows.live.cluster import LiveCluster, Reach


_Command = TypeVar("_Command", bound="Callable[..., Any]")


def cluster_options(command: Any) -> Any:
    """Add the cluster, how to reach it, and which of its objects are of interest."""
    argument = click.argument("cluster", shell_complete=completion.clusters)
    return argument(reach_options(command))


def optional_cluster(command: Any) -> Any:
    """The same, for commands that work on files without a cluster."""
    argument = click.argument("cluster", required=False, shell_complete=completion.clusters)
    return argument(reach_options(command))


def check_unused(ctx: click.Context, names: tuple[str, ...], why: str) -> None:
    """Refuse options that do nothing here."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = next(one for one in ctx.command.params if one.name == name)
            raise click.UsageError(f"{option.opts[-1]} {why}")


REACH = (
    "kubeconfig",
    "context",
    "as_user",
    "as_group",
    "as_uid",
    "catalog",
    "app",
    "namespaces",
)


def reach_options(command: Any) -> Any:
    """Add how to reach a cluster, and which of its objects are of interest."""
    return with_options(
        click.option("--kubeconfig", metavar="FILE", help="Kubeconfig file; else KUBECONFIG."),
        click.option(
            "--context",
            metavar="NAME",
            help="Context of the kubeconfig; by default one named like the cluster, else the"
            " current one.",
        ),
        click.option("--as", "as_user", metavar="USER", help="User to impersonate."),
        click.option(
            "--as-group", multiple=True, metavar="GROUP", help="Group to impersonate; repeatable."
        ),
        click.option("--as-uid", metavar="UID", help="UID to impersonate."),
        click.option(
            "--catalog",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="PATH",
            help="Checkout of the catalog; by default the one in the working directory.",
        ),
        click.option("--app", metavar="NAME", default="", help="Only this application."),
        click.option(
            "-n",
            "--namespace",
            "namespaces",
            multiple=True,
            metavar="NAMESPACE",
            help="Read this namespace only, and what is outside of namespaces; repeatable.",
        ),
    )(command)


def reveal_options(what: str) -> Callable[[_Command], _Command]:
    """Add how the values of secret references are found."""
    return with_options(
        click.option(
            "--reveal",
            is_flag=True,
            help=f"{what}; values are read with VAULT_TOKEN, or VAULT_ROLE_ID and"
            " VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE, and never shown.",
        ),
        click.option(
            "--vault-addr",
            "vault_addresses",
            multiple=True,
            metavar="URL",
            help="A server that may be used by --reveal, VAULT_ADDR by default; may be repeated.",
        ),
    )


def check_reveal(options: dict[str, Any]) -> None:
    """Refuse servers for nothing."""
    if options["vault_addresses"] and not options["reveal"]:
        raise click.UsageError("--vault-addr needs --reveal.")


def reveal_in(cluster: LiveCluster, options: dict[str, Any]) -> Callable[[str], str] | None:
    """What gives the values of the references in a catalog, if that is asked for."""
    if not options["reveal"]:
        return None
    from commodore_py.cli.settings.checks import vault_settings
    from commodore_py.workflows.references import revealing

    vault = vault_settings(options["vault_addresses"], online=True, read_values=True)
    assert vault is not None  # noqa: S101 - as it is online
    return revealing(cluster.catalog, vault)


def opened(
    settings: Globals,
    options: dict[str, Any],
    *,
    descendants: bool = False,
    follow: bool = False,
) -> AbstractContextManager[LiveCluster]:
    """The cluster and its catalog, read."""
    from commodore_py.workflows.live import cluster

    config = config_of(settings)
    return cluster.opened(
        config, options["cluster"], _reach(options), descendants=descendants, follow=follow
    )


def _reach(options: dict[str, Any]) -> Reach:
    from commodore_py.live.access.kubeconfig import Impersonation
    from commodore_py.workflows.live.cluster import Reach

    who = Impersonation(
        options["as_user"] or "", tuple(options["as_group"]), options["as_uid"] or ""
    )
    if (who.groups or who.uid) and not who.user:
        raise click.UsageError("--as-group and --as-uid need --as.")
    return Reach(
        kubeconfig=options["kubeconfig"] or "",
        context=options["context"] or "",
        impersonate=who if who.user else None,
        catalog=options["catalog"],
        application=options["app"],
        namespaces=tuple(options["namespaces"]),
    )
