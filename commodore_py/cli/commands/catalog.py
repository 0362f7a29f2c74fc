"""`commodore catalog …`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from commodore_py import pipeline
from commodore_py.cli import completion
from commodore_py.cli.cluster_option import cluster_here
from commodore_py.cli.command_classes import LazyGroup, Sectioned
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.compile_result import CompileReporter, Form
from commodore_py.cli.settings import dynamic_facts
from commodore_py.cli.settings.options import (
    Globals,
    api_options,
    api_settings,
    cache_option,
    cached_config,
    config_of,
    destination_options,
    diff_option,
    format_option,
    jobs_option,
    lock_by_default,
    lock_options,
    offline_option,
    output_option,
    strict_option,
)
from commodore_py.cli.settings.types import MOST_PROCESSES
from commodore_py.config import Author
from commodore_py.dependencies.lock.place import NO_LOCK, DefaultLock, default_lock
from commodore_py.errors import UsageError
from commodore_py.lieutenant.clusters import list_clusters
from commodore_py.model.names import typo_of
from commodore_py.workflows import dry_run

if TYPE_CHECKING:
    from commodore_py.cli.output.differences import DiffForm
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.published import Published

_MIGRATIONS = ("kapitan-0.29-to-0.30", "ignore-yaml-formatting")
_SORT_KEYS = ("id", "tenant", "displayName")
_COMPILE_SECTIONS = {
    "Several clusters": "+all_clusters +tenant +jobs +scheduler +fail_fast +report",
    "Cluster": "api_url api_token oidc_discovery_url oidc_client dynamic_fact",
    "Input": "global_repo_revision_override tenant_repo_revision_override force +lock +frozen"
    " +from_export",
    "Fetching": "local fetch_dependencies +offline",
    "Publishing": "push interactive git_author_name git_author_email +output_dir +dry_run",
    "Output": "+diff migration +output +exit_code",
    "Compiling": "+strict +check processes +cache",
}


_ELSEWHERE = {
    "check": (".catalog_compiled:check", "Check a compiled catalog."),
    "diff": (".catalog_compiled:diff", "Show the differences between two commits of a catalog."),
}


@click.group(cls=LazyGroup, commands_at=_ELSEWHERE, ours="check diff")
def catalog() -> None:
    """Compile, list and clean cluster catalogs."""


@catalog.command()
@click.option(
    "--force",
    is_flag=True,
    allow_from_autoenv=False,
    help="Move repositories with unpushed work to .commodore/kept.",
)
@output_option
@click.pass_obj
def clean(settings: Globals, output: str, *, force: bool) -> None:
    """Remove what a compile generates: inventory, libraries, compiled/ and catalog/.

    Worktrees of components and packages are kept. Unpushed work is never removed: it is refused,
    or with --force moved to .commodore/kept.
    """
    from commodore_py.catalog.clean import clean

    messages.heading("Cleaning the working directory")
    removed = [str(path) for path in clean(config_of(settings, force=force))]
    for path in removed:
        messages.info(f"removed {path}")
    if output != "text":
        streams.data(formats.structured({"schema": "catalog-clean/v1", "removed": removed}))


@catalog.command(name="list")
@api_options
@click.option("-o", "--out", help="json, yaml (or yml) or id; anything else prints a table.")
@click.option(
    "-t",
    "--tenant",
    default="",
    shell_complete=completion.tenants,
    help="Only clusters of this tenant.",
)
@click.option("--sort-by", default="", help="Sort by id, tenant or displayName.")
@strict_option
@click.pass_obj
def list_(
    settings: Globals,
    /,
    out: str | None,
    tenant: str,
    sort_by: str,
    strict: bool,
    **api: str | None,
) -> None:
    """List the clusters that the API or the facts folder knows."""
    config = config_of(settings, **api_settings({**api, "strict": strict}))
    if out and out not in (*formats.CLUSTER_LIST_FORMS, "table"):
        forms = ", ".join(formats.CLUSTER_LIST_FORMS)
        if meant := typo_of(out, formats.CLUSTER_LIST_FORMS):
            raise UsageError(f"--out {out}: unknown value", hint=f"did you mean {meant}?")
        messages.warn_or_fail(
            f"unknown form {out!r}: printing a table", hint=f"--out accepts {forms}", strict=strict
        )
    if sort_by and sort_by not in _SORT_KEYS:
        keys = ", ".join(_SORT_KEYS)
        messages.warn_or_fail(
            f"unknown sort key {sort_by!r}: using the order of the API",
            hint=f"--sort-by accepts {keys}",
            strict=strict,
        )
    clusters = list_clusters(config, tenant=tenant, sort_by=sort_by)
    if tenant and not clusters:
        messages.warn(f"no cluster belongs to tenant {tenant}")
    text = formats.cluster_list(clusters, out or "")
    if text:
        streams.result(text)


@catalog.command(name="compile", cls=Sectioned, sections=_COMPILE_SECTIONS)
@click.argument("clusters", nargs=-1, metavar="[CLUSTER]...", shell_complete=completion.clusters)
@click.option(
    "--all",
    "all_clusters",
    is_flag=True,
    help="Compile all clusters that the API or the facts folder lists; with --local or --offline,"
    " all that were compiled before.",
)
@click.option(
    "--tenant",
    default="",
    metavar="TENANT",
    shell_complete=completion.tenants,
    help="Compile all clusters of this tenant.",
)
@jobs_option
@click.option(
    "--scheduler",
    default="",
    metavar="ADDRESS",
    help="Compile on the workers of this Dask scheduler, such as tls://10.0.0.1:8786.",
)
@click.option("--fail-fast", is_flag=True, help="Skip the remaining clusters after one that fails.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Also write the results of all clusters to an HTML file.",
)
@api_options
@click.option(
    "--local",
    is_flag=True,
    help="Compile the working directory as it is, without queries to the API or Git remotes.",
)
@destination_options
@click.option(
    "--git-author-name",
    envvar="GIT_AUTHOR_NAME",
    default="",
    metavar="USERNAME",
    help="Author name of commits.",
)
@click.option(
    "--git-author-email",
    envvar="GIT_AUTHOR_EMAIL",
    default="",
    metavar="EMAIL",
    help="Author e-mail address of commits.",
)
@click.option(
    "-g",
    "--global-repo-revision-override",
    envvar="GLOBAL_REPO_REVISION_OVERRIDE",
    default="",
    metavar="REV",
    shell_complete=completion.global_revisions,
    help="Branch, tag or commit of the global configuration to use instead.",
)
@click.option(
    "-t",
    "--tenant-repo-revision-override",
    envvar="TENANT_REPO_REVISION_OVERRIDE",
    default="",
    metavar="REV",
    shell_complete=completion.tenant_revisions,
    help="Branch, tag or commit of the tenant configuration to use instead.",
)
@click.option(
    "--fetch-dependencies/--no-fetch-dependencies",
    " /-F",
    default=True,
    help="With --local: fetch or do not fetch Jsonnet libraries and downloads of components.",
)
@offline_option
@lock_options
@click.option(
    "-m",
    "--migration",
    type=click.Choice(_MIGRATIONS, case_sensitive=False),
    help="Hide the known noise of a migration in the diff.",
)
@click.option(
    "-d",
    "--dynamic-fact",
    multiple=True,
    metavar="KEY=VALUE",
    help="Dynamic fact to use if the cluster reports none; may be repeated.",
)
@click.option(
    "--force/--no-force",
    default=False,
    show_default=True,
    help="Move local changes in checkouts aside and continue.",
)
@click.option(
    "--processes",
    default=0,
    show_default=True,
    type=click.IntRange(min=0, max=MOST_PROCESSES),
    help="Number of processes that compile; 0 uses all available CPUs.",
)
@strict_option
@cache_option
@click.option(
    "--check",
    is_flag=True,
    help="Check the catalog before anything is published, as `catalog check` does.",
)
@diff_option("text")
@click.option("--exit-code", is_flag=True, help="Exit with status 5 if the catalog changes.")
@format_option("text", "json", "markdown")
@click.pass_context
def compile_(
    ctx: click.Context,
    /,
    clusters: tuple[str, ...],
    all_clusters: bool,
    tenant: str,
    jobs: int,
    scheduler: str,
    fail_fast: bool,
    report: Path | None,
    output: str,
    exit_code: bool,
    diff: DiffForm,
    **options: Any,
) -> int:
    """Compile the catalog of CLUSTER, show what changes, and with --push publish it.

    Without CLUSTER, compile the one that the working directory was compiled for.

    Several clusters are compiled side by side, each below clusters/ in the working directory; one
    that fails does not stop the others. At the end, changes that clusters have in common are shown
    once, and there is a table of all.

    \b
    From a facts folder, without any server:
      commodore catalog compile c-demo-1 --api-url ./facts
    Commit and push:
      commodore catalog compile c-demo-1 --push
    All clusters of a tenant, and nothing but the table:
      commodore catalog compile --tenant t-demo --diff none
    """
    settings: Globals = ctx.obj
    if not (clusters or all_clusters or tenant):
        clusters = (cluster_here(ctx),)
    several_clusters = len(clusters) != 1 or all_clusters or bool(tenant)
    if several_clusters:
        from commodore_py.cli import fleet  # most runs are about one cluster

        selection = fleet.Selection(clusters, all_clusters, tenant, fail_fast, jobs, scheduler)
        fleet.check(selection)
        _refuse_one_lock(options["lock"], options["from_export"])
        if unkeyed := [option for option in options["dynamic_fact"] if "=" not in option]:
            raise UsageError(
                f"-d {unkeyed[0]}: dynamic facts are KEY=VALUE",
                hint="the working directory is named before the command:"
                f" commodore -d {unkeyed[0]} catalog compile ...",
            )
    form = Form(output, diff, exit_code, options["migration"] or "", options["interactive"], report)
    if several_clusters:
        config = _compile_config(settings, options, None)
        if scheduler and config.local:
            raise UsageError("--scheduler requires network access", hint="omit it, or --local")
        by_default = ctx.get_parameter_source("diff") is ParameterSource.DEFAULT
        return fleet.compile_clusters(
            config,
            selection,
            form,
            partial(compile_of_several, settings.working_dir),
            shows_output=not by_default and diff != "none",
            quiet=settings.quiet,
        )
    exported = options["from_export"] and options["from_export"].absolute()
    with CompileReporter(form).collecting() as show:
        named = options["lock"] is not None or exported is not None
        default = NO_LOCK if named else default_lock(settings.working_dir, clusters[0])
        config = _compile_config(settings, options, default)
        published = _compiled(exported, config, clusters[0], show)
        code = show.outcome(config, clusters[0], published)
        if show.content is not None:
            streams.data(formats.structured(show.content))
        return code


def compile_of_several(
    folder: Path,
    config: Config,
    cluster_id: str,
    show: CompileReporter,
    cluster: Cluster | None = None,
) -> Published:
    """Compile one of several clusters, with the lock of the folder that all of them have."""
    if config.lock_file is None:
        lock = lock_by_default(default_lock(folder, cluster_id), frozen=config.frozen)
        config = replace(config, lock_file=lock)
    return _compiled(None, config, cluster_id, show, cluster)


def _refuse_one_lock(lock: Path | None, exported: Path | None) -> None:
    """Refuse to use the lock of one cluster for several."""
    if lock is not None and "{cluster}" not in str(lock):
        raise UsageError(
            "--lock names one file, but each cluster has a lock of its own",
            where=str(lock),
            hint="--lock 'locks/{cluster}.lock'",
        )
    if exported is not None:
        raise UsageError(
            "--from-export is the export of one cluster",
            where=str(exported),
            hint="compile the clusters one by one, each from its export",
        )


def _compiled(
    exported: Path | None,
    config: Config,
    cluster_id: str,
    show: CompileReporter,
    cluster: Cluster | None = None,
) -> Published:
    with ExitStack() as stack:
        if exported is not None:
            from commodore_py.workflows.lock.export import from_export  # the locks of others

            config = stack.enter_context(from_export(config, exported))
        if config.dry_run:
            return dry_run.compile_dry(config, cluster_id, cluster)
        approve = partial(show.approve, config)
        return pipeline.compile_catalog(config, cluster_id, approve, cluster=cluster)


def _compile_config(
    settings: Globals, options: dict[str, Any], default: DefaultLock | None
) -> Config:
    facts = dynamic_facts.parse(options["dynamic_fact"])
    for warning in facts.warnings:
        messages.warn(warning)
    if options["interactive"] and not options["push"]:
        messages.warn("--interactive has no effect without --push")
    config = cached_config(
        settings,
        options,
        default,
        **api_settings(options),
        checks=options["check"],
        push=options["push"],
        output_dir=options["output_dir"],
        dry_run=options["dry_run"],
        global_revision=options["global_repo_revision_override"],
        tenant_revision=options["tenant_repo_revision_override"],
        dynamic_facts=facts.facts,
        force=options["force"],
        author=_author(options["git_author_name"], options["git_author_email"]),
    )
    if config.offline and config.push:
        raise UsageError("--push requires network access", hint="omit --offline or --push")
    if options["push"] and options["local"]:
        raise UsageError("--push and --local cannot be combined", hint="omit one of them")
    return replace(config, force=config.force and not config.local)


def _author(name: str, email: str) -> Author:
    if bool(name) != bool(email):
        given, missing = ("name", "e-mail address") if name else ("e-mail address", "name")
        messages.warn(
            f"only the author's {given} is set: the {missing} is taken from Git's configuration",
            hint="set both: --git-author-name and --git-author-email, or GIT_AUTHOR_NAME and"
            " GIT_AUTHOR_EMAIL",
        )
    return Author(name, email)
