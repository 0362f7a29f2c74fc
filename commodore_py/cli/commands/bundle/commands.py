"""The commands about bundles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.exit_codes import CHANGES_FOUND
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import (
    HELP,
    Globals,
    api_options,
    api_settings,
    config_of,
    output_option,
    strict_option,
    verbose_option,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from commodore_py.config import Config
    from commodore_py.workflows.bundles.checkout import Bundles

    _Command: TypeAlias = Callable[..., Any]

_GRADES = ("none", "restart", "outage", "recreate", "data-loss")


def _shared(command: _Command) -> _Command:
    return with_options(
        click.option(
            "--global",
            "folder",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="The checkout of the global configuration; by default, the one around the current"
            " folder.",
        ),
        output_option,
        verbose_option,
    )(click.pass_obj(command))


def _committing(command: _Command) -> _Command:
    return click.option("--push", is_flag=True, help="Push the commit.")(_shared(command))


def _compiling(command: _Command) -> _Command:
    return with_options(api_options, strict_option)(_shared(command))


def _clusters(name: str, parameter: str, help_text: str) -> _Command:
    return click.option(
        name,
        parameter,
        multiple=True,
        metavar="ID",
        shell_complete=completion.clusters,
        help=help_text,
    )


_version = click.argument("version", shell_complete=completion.bundles)


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def bundle(ctx: click.Context, verbose: int) -> None:
    """Publish, check and use tested sets of versions.

    A bundle is an ordinary class with the versions of components and packages, and an entry in
    bundles/index.yml of the global configuration. Commands that write make one commit there.

    \b
      commodore bundle publish 2026.11.1 --from-cluster c-demo-1
      commodore bundle check 2026.11.1 --cluster c-demo-1
      commodore bundle alias stable 2026.11.1
      commodore bundle use 2026.11.1 --at tenant
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@bundle.command("list", short_help="List versions and aliases.")
@_shared
def list_(settings: Globals, /, folder: Path | None, output: str, verbose: int) -> None:
    """List versions, the newest first, and aliases; withdrawn versions with the reason."""
    from commodore_py.cli.output import bundles as shown

    found = _read(settings.more_verbose(verbose), folder)
    _print(shown.listed(found), shown.list_lines(found), output)


@bundle.command(short_help="Show a version, or the bundle of a cluster.")
@click.argument("version", default="", shell_complete=completion.bundles)
@click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="Show the bundle of this cluster, what includes it, and what deviates from it.",
)
@_compiling
def show(
    settings: Globals,
    /,
    version: str,
    cluster: str,
    folder: Path | None,
    output: str,
    **options: Any,
) -> None:
    """Show what VERSION contains, by default the newest; or the bundle of a cluster.

    \b
      commodore bundle show 2026.11.1
      commodore bundle show --cluster c-demo-1
    """
    from commodore_py.cli.output import bundles as shown
    from commodore_py.errors import CommodoreError, UsageError
    from commodore_py.workflows.bundles.trials import trials

    if version and cluster:
        raise UsageError("VERSION and --cluster exclude each other")
    if cluster:
        with trials(_config(settings, options), cluster) as compiling:
            used = compiling.compiled().sources.bundle
        if used is None:
            raise CommodoreError(f"cluster {cluster} includes no bundle")
        _print({"schema": "bundle-show/v1", **shown.used(used)}, shown.used_lines(used), output)
        return
    found = _read(settings.more_verbose(options["verbose"]), folder)
    known = found.index.sorted()
    if not (version or known):
        raise CommodoreError("there is no bundle yet", where=str(found.folder))
    entry = found.entry(version) if version else known[-1]
    content = found.content(entry)
    _print(shown.content(entry, content), shown.content_lines(entry, content), output)


@bundle.command(short_help="Compare two versions.")
@click.argument("before", metavar="A", shell_complete=completion.bundles)
@click.argument("after", metavar="B", shell_complete=completion.bundles)
@click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="Also show what changes in the catalog of this cluster.",
)
@_compiling
def diff(
    settings: Globals,
    /,
    before: str,
    after: str,
    cluster: str,
    folder: Path | None,
    output: str,
    **options: Any,
) -> None:
    """Show which versions differ between A and B; with a cluster, also its objects.

    \b
      commodore bundle diff 2026.11.1 2026.12.1 --cluster c-demo-1
    """
    from commodore_py.cli.output import bundles as shown
    from commodore_py.workflows.bundles.trials import graded, trials

    found = _read(settings.more_verbose(options["verbose"]), folder)
    entries = found.entry(before), found.entry(after)
    objects = None
    if cluster:
        with trials(_config(settings, options), cluster) as compiling:
            base = compiling.compiled()
            old, new = (compiling.with_bundle(found.bytes_of(one), base) for one in entries)
            objects = graded(old, new)
    changes = shown.changes(*(found.content(one) for one in entries))
    data = shown.diff(before, after, changes, objects)
    _print(data, shown.diff_lines(changes, objects), output)


@bundle.command(short_help="Publish a version.")
@click.argument("version")
@click.option(
    "--from-lock",
    "locks",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Take the versions of this lock file; may be repeated.",
)
@_clusters("--from-cluster", "clusters", "Take what this cluster deploys; may be repeated.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VERSION",
    help="Take this version of a component or package; may be repeated.",
)
@_clusters("--test", "tests", "Compile this cluster first; by default, those of the index.")
@click.option("--requires-tool", default="", metavar="RANGE", help="Versions of commodore to use.")
@click.option("--notes", default="", metavar="URL", help="Where to read about the version.")
@api_options
@strict_option
@_committing
def publish(
    settings: Globals,
    /,
    version: str,
    locks: tuple[str, ...],
    clusters: tuple[str, ...],
    changes: tuple[str, ...],
    tests: tuple[str, ...],
    requires_tool: str,
    notes: str,
    folder: Path | None,
    push: bool,
    output: str,
    **options: Any,
) -> None:
    """Publish VERSION as a class and an entry of the index, in one commit.

    Versions come from lock files or clusters; without either, from the newest bundle. The test
    clusters are compiled with it first: if one fails, nothing is written.

    \b
      commodore bundle publish 2026.11.1 --from-cluster c-demo-1
      commodore bundle publish 2026.11.2 --set argocd=v6.0.3
    """
    from commodore_py.cli.output import bundles as shown
    from commodore_py.errors import UsageError
    from commodore_py.workflows.bundles import publish as publishing
    from commodore_py.workflows.lock.compare import lock_at

    pairs = [one.partition("=") for one in changes]
    if wrong := [one for one, (_, sign, text) in zip(changes, pairs, strict=True) if not text]:
        raise UsageError(f"--set {wrong[0]}: expected NAME=VERSION")
    request = publishing.Request(
        version,
        tuple((one, lock_at(one)) for one in locks),
        clusters,
        {name: text for name, _, text in pairs},
        tests,
        requires_tool,
        notes,
    )
    done = publishing.publish(_config(settings, options), _writable(folder), request, push=push)
    _print(shown.published(done), shown.published_lines(done), output)


@bundle.command(short_help="Grade the steps to a version.")
@_version
@_clusters("--cluster", "clusters", "Compile this cluster; by default, those of the index.")
@click.option(
    "--window",
    default=3,
    show_default=True,
    type=click.IntRange(min=1, max=20),
    help="How many versions to compile, with VERSION.",
)
@click.option(
    "--max-grade",
    type=click.Choice(_GRADES),
    default="restart",
    show_default=True,
    help="The worst change to accept.",
)
@_compiling
def check(
    settings: Globals,
    /,
    version: str,
    clusters: tuple[str, ...],
    window: int,
    max_grade: str,
    folder: Path | None,
    output: str,
    **options: Any,
) -> int:
    """Compile clusters with VERSION and those before it, and grade what each step changes.

    Also the step that skips all between. Exits with status 5 if a change is worse than
    --max-grade, with 1 if something does not compile.

    \b
      commodore bundle check 2026.12.1 --cluster c-demo-1 --cluster c-demo-2
    """
    from commodore_py.cli.output import bundles as shown
    from commodore_py.errors import UsageError
    from commodore_py.workflows.bundles import check as checking

    found = _read(settings.more_verbose(options["verbose"]), folder)
    named = clusters or found.index.test_clusters
    if not named:
        raise UsageError("no cluster to compile", hint="name one with --cluster")
    config = _config(settings, options)
    steps = tuple(checking.check(config, found, version, named, window))
    _print(shown.checked(version, steps), shown.check_lines(steps), output)
    for one in steps:
        if one.error is not None:
            name = f"{one.cluster}, {one.after}"
            messages.warn(f"{name}: {one.error}", where=one.error.where, hint=one.error.hint)
    if any(one.error is not None for one in steps):
        return 1
    return CHANGES_FOUND if any(checking.is_worse(one.grade, max_grade) for one in steps) else 0


@bundle.command(short_help="Mark a version as not to be used.")
@_version
@click.option("--reason", required=True, metavar="TEXT", help="Why it must not be used.")
@click.option(
    "--instead",
    default="",
    metavar="VERSION",
    shell_complete=completion.bundles,
    help="What to use instead.",
)
@_committing
def withdraw(
    settings: Globals,
    /,
    version: str,
    reason: str,
    instead: str,
    folder: Path | None,
    push: bool,
    output: str,
    verbose: int,
) -> None:
    """Mark VERSION as withdrawn: compiles that use it fail, and name the reason.

    \b
      commodore bundle withdraw 2026.11.1 --reason 'loses claims' --instead 2026.11.2
    """
    from commodore_py.workflows.bundles import publish as publishing

    settings.more_verbose(verbose)
    made, aliases = publishing.withdraw(_writable(folder), version, reason, instead, push=push)
    content = {"schema": "bundle-withdraw/v1", "version": version, "commit": made}
    lines = [f"{version} is withdrawn", *(f"alias {one} leads to it" for one in aliases)]
    _print({**content, "aliases": aliases}, lines, output)


@bundle.command(short_help="Let a name lead to a version.")
@click.argument("name")
@_version
@_committing
def alias(
    settings: Globals,
    /,
    name: str,
    version: str,
    folder: Path | None,
    push: bool,
    output: str,
    verbose: int,
) -> None:
    """Let NAME lead to VERSION: a class that includes that of the version, and nothing else.

    \b
      commodore bundle alias stable 2026.11.1
    """
    from commodore_py.workflows.bundles import publish as publishing

    settings.more_verbose(verbose)
    made = publishing.alias(_writable(folder), name, version, push=push)
    content = {"schema": "bundle-alias/v1", "alias": name, "version": version}
    lines = [f"{name} is {version}" if made else f"{name} is {version} already"]
    _print({**content, "commit": made or None}, lines, output)


@bundle.command(short_help="Use another version.")
@_version
@click.option(
    "--at",
    "where",
    default="",
    metavar="WHERE",
    help="Where the bundle is included: tenant, cluster, or a class; by default, the one that"
    " counts.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--allow-data-loss", is_flag=True, help="Accept that objects with data are deleted.")
@_compiling
def use(
    settings: Globals,
    /,
    version: str,
    where: str,
    dry_run: bool,
    allow_data_loss: bool,
    folder: Path | None,
    output: str,
    **options: Any,
) -> None:
    """Let the cluster of the working directory use VERSION, and show what that changes.

    It is an edit of the line that includes the bundle; `commodore edit undo` takes it back.

    \b
      commodore bundle use 2026.11.2 --dry-run
    """
    from commodore_py.cli.output import bundles as shown
    from commodore_py.workflows.bundles import use as using

    config = _config(settings, options)
    planned = using.plan(config, _read(settings, folder), version, where)
    allowed = allow_data_loss or dry_run
    number = "" if dry_run else using.write(config, planned, version, allow_data_loss=allowed)
    _print(shown.use(version, planned, number), shown.use_lines(planned, number), output)


def _read(settings: Globals, folder: Path | None) -> Bundles:
    from commodore_py.workflows.bundles import checkout

    return checkout.read(folder, config_of(settings).paths)


def _writable(folder: Path | None) -> Bundles:
    from commodore_py.workflows.bundles import checkout

    return checkout.writable(folder)


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.cli.settings import directories

    caches = directories.caches_in(directories.cache_folder())
    return config_of(
        settings.more_verbose(options["verbose"]),
        **api_settings(options),
        strict=options["strict"],
        **caches,
    )


def _print(content: dict[str, Any], lines: Any, output: str) -> None:
    from commodore_py.cli.output import formats

    if output != "text":
        streams.data(formats.structured(content, output))
        return
    for line in lines:
        streams.result(line)
