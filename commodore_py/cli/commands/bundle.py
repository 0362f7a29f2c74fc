"""The commands about bundles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import bundles as shown
from commodore_py.cli.output import formats, messages
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    compiling_options,
    config_of,
    dry_run_option,
    output_option,
)
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.difference import GRADES
from commodore_py.workflows.bundles import checkout
from commodore_py.workflows.bundles import publish as publishing
from commodore_py.workflows.bundles import use as using
from commodore_py.workflows.bundles.trials import trials

_version = click.argument("version", shell_complete=completion.bundles)


@click.group(cls=LazyGroup)
def bundle() -> None:
    """Publish and use tested sets of versions.

    A bundle is an ordinary class with the versions of components and packages, and an entry in
    bundles/index.yml of the global configuration. Its checkout is the current folder, or
    inventory/classes/global of the working directory.

    \b
      commodore bundle publish 2026.11.1 --cluster c-demo-1
      commodore bundle use 2026.11.1 --at tenant
    """


@bundle.command("list", short_help="List versions and aliases.")
@output_option
@click.pass_obj
def list_(settings: Globals, /, output: str) -> None:
    """List versions, the newest first, and aliases; withdrawn versions with the reason."""
    bundles = checkout.read(config_of(settings).paths)
    formats.show(output, shown.listed(bundles), shown.list_lines(bundles))


@bundle.command(short_help="Show a version, or the bundle of a cluster.")
@click.argument("version", default="", shell_complete=completion.bundles)
@click.option(
    "--cluster",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="Show the bundle of this cluster, what includes it, and what deviates from it.",
)
@compiling_options
@click.pass_obj
def show(settings: Globals, /, version: str, cluster: str, output: str, **options: Any) -> None:
    """Show what VERSION contains, by default the newest; or the bundle of a cluster.

    \b
      commodore bundle show 2026.11.1
      commodore bundle show --cluster c-demo-1
    """
    config = compiling_config(settings, options)
    if version and cluster:
        raise UsageError("VERSION and --cluster exclude each other")
    if cluster:
        with trials(config, cluster) as compiling:
            used = compiling.compiled().sources.bundle
        if used is None:
            raise CommodoreError(f"cluster {cluster} includes no bundle")
        data = {"schema": "bundle-show/v1", **shown.used(used)}
        formats.show(output, data, shown.used_lines(used))
        return
    bundles = checkout.read(config.paths)
    entries = bundles.index.sorted()
    if not (version or entries):
        raise CommodoreError("there is no bundle yet", where=str(bundles.folder))
    entry = bundles.entry(version) if version else entries[-1]
    content = bundles.content(entry)
    formats.show(output, shown.content(entry, content), shown.content_lines(entry, content))


@bundle.command(short_help="Publish a version.")
@click.argument("version")
@click.option(
    "--lock",
    "locks",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take the versions of this lock file; may be repeated.",
)
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="ID",
    shell_complete=completion.clusters,
    help="Take what this cluster deploys; may be repeated.",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VERSION",
    help="Take this version of a component or package; may be repeated.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="ID",
    shell_complete=completion.clusters,
    help="Compile this cluster first; by default, those of the index. May be repeated.",
)
@click.option("--push", is_flag=True, help="Push the commit.")
@compiling_options
@click.pass_obj
def publish(
    settings: Globals,
    /,
    version: str,
    locks: tuple[Path, ...],
    clusters: tuple[str, ...],
    changes: tuple[str, ...],
    tests: tuple[str, ...],
    push: bool,
    output: str,
    **options: Any,
) -> None:
    """Publish VERSION as a class and an entry of the index, in one commit.

    Versions come from lock files or clusters; without either, from the newest bundle. The test
    clusters are compiled with it first: if one fails, nothing is written. The steps from the two
    versions before it are graded by what they change in these clusters.

    \b
      commodore bundle publish 2026.11.1 --cluster c-demo-1
      commodore bundle publish 2026.11.2 --set argocd=v6.0.3
    """
    pairs = [change.partition("=") for change in changes]
    if wrong := [
        change for change, (_, sign, text) in zip(changes, pairs, strict=True) if not text
    ]:
        raise UsageError(f"--set {wrong[0]}: expected NAME=VERSION")
    config = compiling_config(settings, options)
    done = publishing.publish(
        config,
        checkout.writable(config.paths),
        version,
        locks={str(lock): LockFile.read(lock).lock for lock in locks},
        clusters=clusters,
        changes={name: text for name, _, text in pairs},
        tests=tests,
        push=push,
    )
    formats.show(output, shown.published(done), shown.published_lines(done))


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
@dry_run_option
@click.option(
    "--max-grade",
    type=click.Choice(GRADES[::-1]),
    default="recreate",
    show_default=True,
    help="The worst change to accept.",
)
@compiling_options
@click.pass_obj
def use(
    settings: Globals,
    /,
    version: str,
    where: str,
    dry_run: bool,
    max_grade: str,
    output: str,
    **options: Any,
) -> None:
    """Let the cluster of the working directory use VERSION, and show what that changes.

    It is an edit of the line that includes the bundle.

    \b
      commodore bundle use 2026.11.2 --dry-run
    """
    config = compiling_config(settings, options)
    planned = using.plan(config, checkout.read(config.paths), version, where)
    if not dry_run:
        using.write(config, planned, version, max_grade=max_grade)
    written = not dry_run and planned.diff is not None
    data, lines = shown.use(version, planned, written=written), shown.use_lines(planned)
    formats.show(output, data, lines)
    if written and output == "text":
        messages.info("Not committed: use it with --local, or commit and push it")
