"""`commodore catalog …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import Globals, api_options, config_of, verbose_option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from commodore_py.config import Config
    from commodore_py.model import Change, Published

NOT_REPORTED = 4
_HELP = {"help_option_names": ["-h", "--help"]}
_MIGRATIONS = ("kapitan-0.29-to-0.30", "ignore-yaml-formatting")


@click.group(context_settings=_HELP)
@verbose_option
@click.pass_context
def catalog(ctx: click.Context, verbose: int) -> None:
    """Compile, list and clean cluster catalogs."""
    ctx.obj = ctx.obj.more_verbose(verbose)


@catalog.command()
@verbose_option
@click.pass_obj
def clean(settings: Globals, verbose: int) -> None:
    """Remove what a compile generates: inventory, libraries, compiled/ and catalog/.

    Worktrees of components and packages stay. Work that exists nowhere else is never removed.
    """
    from commodore_py import catalog as catalogs  # noqa: PLC0415 - not for --help

    click.secho("Cleaning the working directory", bold=True, err=True)
    for path in catalogs.clean(config_of(settings.more_verbose(verbose))):
        click.echo(f" > removed {path}", err=True)


@catalog.command(name="list")
@click.option("-o", "--out", help="json, yaml (or yml), id; anything else is a table.")
@click.option("-t", "--tenant", default="", help="Only clusters of this tenant.")
@click.option("--sort-by", default="", help="id, tenant or displayName.")
@api_options
@verbose_option
@click.pass_obj
def list_(
    settings: Globals,
    /,
    out: str | None,
    tenant: str,
    sort_by: str,
    verbose: int,
    **api: str | None,
) -> None:
    """List the clusters that the API or the facts folder knows."""
    from commodore_py import lieutenant  # noqa: PLC0415 - not for --help

    from . import render  # noqa: PLC0415

    config = config_of(settings.more_verbose(verbose), **_api_settings(api))
    clusters = lieutenant.list_clusters(config, tenant=tenant, sort_by=sort_by)
    text = render.cluster_list(clusters, out or "")
    if text:
        click.echo(text)


def _complete_cluster(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from pathlib import Path  # noqa: PLC0415 - not for --help

    from click.shell_completion import CompletionItem  # noqa: PLC0415

    from commodore_py import lieutenant  # noqa: PLC0415

    settings = Globals(Path.cwd(), request_timeout=5)
    given = {name: ctx.params.get(name) for name in ("api_url", "api_token")}
    ids = lieutenant.cluster_ids(config_of(settings, **_api_settings(given)))
    return [CompletionItem(id_) for id_ in ids if id_.startswith(incomplete)]


@catalog.command(name="compile")
@click.argument("cluster", shell_complete=_complete_cluster)
@api_options
@click.option("--local", is_flag=True, help="Use the working directory as it is; ask nobody.")
@click.option("--push", is_flag=True, help="Commit and push the catalog if it changed.")
@click.option("-i", "--interactive", is_flag=True, help="With --push: show the diff, then ask.")
@click.option(
    "--git-author-name",
    envvar="GIT_AUTHOR_NAME",
    default="",
    metavar="USERNAME",
    help="Name for commits.",
)
@click.option(
    "--git-author-email",
    envvar="GIT_AUTHOR_EMAIL",
    default="",
    metavar="EMAIL",
    help="E-mail address for commits.",
)
@click.option(
    "-g",
    "--global-repo-revision-override",
    envvar="GLOBAL_REPO_REVISION_OVERRIDE",
    default="",
    metavar="REV",
    help="Branch, tag or commit of the global configuration to use instead.",
)
@click.option(
    "-t",
    "--tenant-repo-revision-override",
    envvar="TENANT_REPO_REVISION_OVERRIDE",
    default="",
    metavar="REV",
    help="Branch, tag or commit of the tenant configuration to use instead.",
)
@click.option(
    "--fetch-dependencies/--no-fetch-dependencies",
    " /-F",
    default=True,
    help="With --local: fetch Jsonnet libraries and what components download, or not.",
)
@click.option(
    "-m",
    "--migration",
    type=click.Choice(_MIGRATIONS, case_sensitive=False),
    help="Leave the known noise of a migration out of the diff.",
)
@click.option(
    "-d",
    "--dynamic-fact",
    multiple=True,
    metavar="KEY=VALUE",
    help="Dynamic fact to use when the cluster reports none; repeat for more.",
)
@click.option(
    "--force/--no-force",
    default=False,
    show_default=True,
    help="Put local work in checkouts aside and go on.",
)
@click.option(
    "--processes",
    default=0,
    show_default=True,
    type=int,
    help="Processes that compile; 0 takes the usable CPUs.",
)
@verbose_option
@click.pass_obj
def compile_(settings: Globals, /, cluster: str, verbose: int, **options: Any) -> int:  # noqa: ANN401 - click hands them over by name
    r"""Compile the catalog of CLUSTER, show what changes, and with --push publish it.

    \b
    From a facts folder, without any server:
      commodore catalog compile c-demo-1 --api-url ./facts
    Commit and push:
      commodore catalog compile c-demo-1 --push
    """
    from commodore_py import pipeline  # noqa: PLC0415 - not for --help

    config = _compile_config(settings.more_verbose(verbose), options)
    published = pipeline.compile_catalog(
        config, cluster, approve=lambda change: _ask(config, change)
    )
    return _show(config, cluster, published)


def _compile_config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.config import Author  # noqa: PLC0415 - not for --help

    from . import dynamic_facts  # noqa: PLC0415

    local, fetch = options["local"], options["fetch_dependencies"]
    facts = dynamic_facts.parse(options["dynamic_fact"])
    warnings = list(facts.warnings)
    if not fetch and not local:
        warnings.append("--no-fetch-dependencies needs --local; it is ignored")
        fetch = True
    for warning in warnings:
        click.secho(f"warning: {warning}", fg="yellow", err=True)
    return config_of(
        settings,
        **_api_settings(options),
        local=local,
        push=options["push"],
        interactive=options["interactive"],
        force=options["force"] and not local,
        fetch_dependencies=fetch,
        processes=options["processes"],
        migration=options["migration"] or "",
        global_revision=options["global_repo_revision_override"],
        tenant_revision=options["tenant_repo_revision_override"],
        dynamic_facts=facts.facts,
        author=Author(options["git_author_name"], options["git_author_email"]),
    )


def _api_settings(options: dict[str, Any]) -> dict[str, str]:
    return {name: options.get(name) or "" for name in ("api_url", "api_token")}


def _ask(config: Config, change: Change) -> bool:
    """Whether to publish; shows the change first, as that is what the answer is about."""
    _show_change(config, change)
    if not config.push:
        return False
    return not config.interactive or click.confirm(
        " > Should the push be done?", default=False, err=True
    )


def _show_change(config: Config, change: Change) -> None:
    from time import monotonic  # noqa: PLC0415 - not for --help

    from commodore_py.catalog import diff_text  # noqa: PLC0415

    from . import render  # noqa: PLC0415

    started = monotonic()
    if config.migration:
        click.echo(" > Smart diffing started; this may take a while", err=True)
    click.echo(render.diff_lines(diff_text(change, migration=config.migration)))
    if config.migration and change:
        click.echo(f" > Smart diffing took {monotonic() - started:.2f}s", err=True)
    for path in change.ignored:
        click.secho(
            f"warning: {path} is ignored by Git in the catalog, and so not part of it",
            fg="yellow",
            err=True,
        )


def _show(config: Config, cluster: str, published: Published) -> int:
    from commodore_py.model import ReportOutcome  # noqa: PLC0415 - not for --help

    from . import render  # noqa: PLC0415

    if config.local or not published.change:
        _show_change(config, published.change)
    _show_record(config, published)
    for line in _outcome(config, published):
        click.echo(f" > {line}", err=True)
    click.secho(f"Catalog of cluster {cluster} compiled", bold=True)
    if published.notices:
        click.secho("\nCommodore notices:", bold=True, err=True)
        for line in render.notice_lines(published.notices):
            click.echo(line, err=True)
    if published.report is ReportOutcome.FAILED:
        click.secho(
            "warning: the catalog was pushed, but the compile could not be reported: "
            + published.report_problem,
            fg="yellow",
            err=True,
        )
        return NOT_REPORTED
    return 0


def _outcome(config: Config, published: Published) -> list[str]:
    if published.commit:
        return [f"Pushed commit {published.commit}"]
    if config.local:
        return ["Nothing is committed in local mode"]
    if not published.change:
        return ["Nothing to commit"]
    return [
        "Not pushed: the changes are staged in catalog/",
        "Use --push to commit and push them, with --interactive to be asked first",
    ]


def _show_record(config: Config, published: Published) -> None:
    if not config.verbosity:
        return
    from commodore_py import catalog as catalogs  # noqa: PLC0415 - only asked for with -v

    message = catalogs.commit_message(published.record)
    click.echo("\n".join(f"   {line}".rstrip() for line in message.splitlines()), err=True)
