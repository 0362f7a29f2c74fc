"""The commands about clusters and tenants in a folder of facts."""

from __future__ import annotations

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

from .options import validation_of, validation_options, value_options, values_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from commodore_py.config import Config
    from commodore_py.workflows.facts_folder.edits import FactsEdit

    _Command: TypeAlias = Callable[..., Any]


def _shared(command: _Command) -> _Command:
    added: _Command = with_options(
        validation_options,
        api_options,
        output_option,
        strict_option,
        verbose_option,
    )(click.pass_obj(command))
    return added


_id = click.argument("cluster_id", metavar="ID", shell_complete=completion.clusters)


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def cluster(ctx: click.Context, verbose: int) -> None:
    """Add, change and remove clusters in a folder of facts.

    The folder is what --api-url names; clusters of a server are changed there. Before anything is
    written, the cluster is compiled in a folder of its own, and the changes of objects are shown.

    \b
      commodore cluster add c-new --like c-old --push-class
      commodore cluster set c-new facts.region west
      commodore cluster remove c-new
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


@cluster.command()
@click.argument("cluster_id", metavar="ID")
@click.option(
    "--like",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="Begin with what is known about this cluster, and with its class.",
)
@click.option(
    "--tenant",
    default="",
    metavar="ID",
    shell_complete=completion.tenants,
    help="The tenant that it belongs to.",
)
@click.option("--display-name", default="", metavar="TEXT", help="Its name for people.")
@click.option(
    "--catalog",
    default="",
    metavar="URL",
    help="Repository of its catalog; by default the one of --like with the new id.",
)
@click.option(
    "--fact",
    "facts",
    multiple=True,
    metavar="KEY=VALUE",
    help="A fact, as text or as json:VALUE; may be repeated. A cluster needs distribution and"
    " cloud.",
)
@click.option(
    "--dynamic-fact",
    "dynamic_facts",
    multiple=True,
    metavar="KEY=VALUE",
    help="A dynamic fact; may be repeated.",
)
@click.option(
    "--push-class",
    is_flag=True,
    help="Also push class ID to the tenant's repository, unless it has one: that of --like, or an"
    " empty one.",
)
@_shared
def add(settings: Globals, /, cluster_id: str, **options: Any) -> int:
    """Add cluster ID, if it compiles.

    \b
      commodore cluster add c-new --like c-old --push-class
      commodore cluster add c-new --tenant t-shop --fact cloud=lakeside --fact distribution=k3s
          --catalog ssh://git@git.example.com/c-new.git
    """
    from commodore_py.workflows.facts_folder.edits import NewCluster, add_cluster

    new = NewCluster(
        cluster_id,
        like=options["like"],
        tenant=options["tenant"],
        display_name=options["display_name"],
        catalog=options["catalog"],
        facts=_facts(options["facts"]),
        dynamic_facts=_facts(options["dynamic_facts"]),
    )
    rules = validation_of(options)
    found = add_cluster(_config(settings, options), new, rules, push_class=options["push_class"])
    return _shown(found, options, f"commodore catalog compile {cluster_id} --push")


@cluster.command(name="set")
@_id
@click.argument("path")
@click.argument("value", nargs=-1, metavar="VALUE")
@value_options
@_shared
def set_(
    settings: Globals, /, cluster_id: str, path: str, value: tuple[str, ...], **options: Any
) -> int:
    """Set PATH of cluster ID to VALUE, which is YAML; `-` reads it from stdin.

    \b
      commodore cluster set c-demo-1 facts.region west
      commodore cluster set c-demo-1 tenantGitRepoRevision v2
    """
    from commodore_py.inventory.engine.class_edits import Edit

    (new,) = values_of(value, options)
    return _changed(settings, cluster_id, path, Edit("set", (), new), options)


@cluster.command()
@_id
@click.argument("path")
@_shared
def unset(settings: Globals, /, cluster_id: str, path: str, **options: Any) -> int:
    """Remove PATH from cluster ID."""
    from commodore_py.inventory.engine.class_edits import Edit

    return _changed(settings, cluster_id, path, Edit("unset", ()), options)


@cluster.command()
@_id
@click.option("--yes", is_flag=True, help="Do not prompt for confirmation.")
@_shared
def remove(settings: Globals, /, cluster_id: str, *, yes: bool, **options: Any) -> int:
    """Remove cluster ID from the folder; its catalog and its class stay."""
    from commodore_py.workflows.facts_folder.edits import removal_of, written

    found = removal_of(_config(settings, options), cluster_id, validation_of(options))
    if not options["dry_run"]:
        question = f" Remove {found.file}?"
        if not yes and not messages.confirm(
            question, undone="nothing was removed", in_advance="--yes"
        ):
            messages.info("Nothing was removed")
            return 1
        found = written(found)
    return _shown(found, options)


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def tenant(ctx: click.Context, verbose: int) -> None:
    """Add tenants to a folder of facts."""
    ctx.obj = ctx.obj.more_verbose(verbose)


@tenant.command(name="add")
@click.argument("tenant_id", metavar="ID")
@click.option("--display-name", default="", metavar="TEXT", help="Its name for people.")
@click.option("--repository", required=True, metavar="URL", help="Repository of its configuration.")
@click.option(
    "--global-repository",
    required=True,
    metavar="URL",
    help="Repository of the global configuration.",
)
@click.option(
    "--global-revision",
    default="",
    metavar="REVISION",
    help="Revision of the global configuration; by default, its default branch.",
)
@_shared
def add_tenant(settings: Globals, /, tenant_id: str, **options: Any) -> int:
    """Add tenant ID, if its repositories can be read.

    \b
      commodore tenant add t-shop --repository ssh://git@git.example.com/t-shop.git
          --global-repository ssh://git@git.example.com/global.git
    """
    from commodore_py.workflows.facts_folder import edits

    new = edits.NewTenant(
        tenant_id,
        options["display_name"],
        options["repository"],
        options["global_repository"],
        options["global_revision"],
    )
    found = edits.add_tenant(_config(settings, options), new, validation_of(options))
    return _shown(found, options, f"commodore cluster add ID --tenant {tenant_id}")


def _changed(
    settings: Globals, cluster_id: str, path: str, edit: Any, options: dict[str, Any]
) -> int:
    from commodore_py.workflows.facts_folder.edits import change_cluster

    config = _config(settings, options)
    found = change_cluster(config, cluster_id, path, edit, validation_of(options))
    if not found:
        messages.info(f"Nothing to do: {found.file} has that already")
        return 0
    return _shown(found, options, f"commodore catalog compile {cluster_id}")


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.cli.settings import directories

    caches = directories.caches_in(directories.cache_folder())
    return config_of(settings.more_verbose(options["verbose"]), **caches, **api_settings(options))


def _facts(given: tuple[str, ...]) -> dict[str, Any]:
    from commodore_py.cli.settings import dynamic_facts
    from commodore_py.errors import UsageError

    parsed = dynamic_facts.parse(given)
    if parsed.warnings:
        texts = (one.removeprefix("dynamic ") for one in parsed.warnings)
        raise UsageError("; ".join(one.replace(" is ignored: ", ": ") for one in texts))
    return parsed.facts


def _shown(found: FactsEdit, options: dict[str, Any], following: str = "") -> int:
    """Print an edit of facts, and what may follow."""
    from . import result

    result.show_problems(found.verdict)
    lines = result.diff_lines(found.before or b"", found.after or b"")
    if options["output"] == "text":
        messages.info(str(found.file))
        streams.result("\n".join(lines))
        if found.diff is not None:
            from commodore_py.cli.output import differences

            streams.result(differences.shown(found.diff))
        if found.commit:
            messages.info(f"Class pushed as {found.commit[:10]}")
        if found.written:
            done = "Removed" if found.after is None else "Written"
            messages.info(f"{done}; next: {following}" if following else done)
    else:
        from commodore_py.cli.output import formats
        from commodore_py.cli.output.differences import as_json

        content = {
            "schema": "facts-edit/v1",
            "file": str(found.file),
            "diff": lines,
            "problems": result.problems_as_json(found.verdict),
            "catalog": None if found.diff is None else as_json.object_diff(found.diff),
            "commit": found.commit or None,
            "written": found.written,
        }
        streams.data(formats.structured(content, options["output"]))
    if found.verdict.failing:
        return 1
    return CHANGES_FOUND if options["exit_code"] else 0
