"""The commands about clusters and tenants in a folder of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.differences import as_json, as_text
from commodore_py.cli.output.problems import as_data as problem_as_data
from commodore_py.cli.settings import dynamic_facts
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    compiling_options,
    dry_run_option,
    with_options,
)
from commodore_py.errors import UsageError
from commodore_py.workflows.editing.requests import Rules
from commodore_py.workflows.facts_folder import NewCluster, add_cluster
from commodore_py.workflows.facts_folder import add_tenant as add_tenant_file

from . import result

if TYPE_CHECKING:
    from commodore_py.workflows.facts_folder import FactsEdit


_shared = with_options(dry_run_option, compiling_options, click.pass_obj)


@click.group(cls=LazyGroup)
def cluster() -> None:
    """Add clusters to a folder of facts.

    The folder is what --api-url names; a server has its own way to add clusters.
    """


@cluster.command()
@click.argument("cluster_id", metavar="ID")
@click.option(
    "--like",
    default="",
    metavar="ID",
    shell_complete=completion.clusters,
    help="Begin with the facts of this cluster.",
)
@click.option(
    "--tenant",
    default="",
    metavar="ID",
    shell_complete=completion.tenants,
    help="The tenant that it belongs to.",
)
@click.option("--display-name", default="", metavar="TEXT", help="Display name.")
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
@_shared
def add(settings: Globals, /, cluster_id: str, **options: Any) -> int:
    """Add cluster ID, if it compiles.

    Its class ID.yml is in the tenant's repository already. The cluster is compiled in a folder of
    its own, and the objects of its catalog are shown.

    \b
      commodore cluster add c-new --like c-old
      commodore cluster add c-new --tenant t-shop --fact cloud=lakeside --fact distribution=k3s
          --catalog ssh://git@git.example.com/c-new.git
    """
    new = NewCluster(
        cluster_id,
        like=options["like"],
        tenant=options["tenant"],
        display_name=options["display_name"],
        catalog=options["catalog"],
        facts=_facts(options["facts"]),
        dynamic_facts=_facts(options["dynamic_facts"]),
    )
    facts_edit = add_cluster(
        compiling_config(settings, options, strict=False), new, _rules(options)
    )
    return _shown(facts_edit, options, f"commodore catalog compile {cluster_id} --push")


@click.group(cls=LazyGroup)
def tenant() -> None:
    """Add tenants to a folder of facts."""


@tenant.command(name="add")
@click.argument("tenant_id", metavar="ID")
@click.option("--display-name", default="", metavar="TEXT", help="Display name.")
@click.option("--repository", required=True, metavar="URL", help="Repository of its configuration.")
@click.option(
    "--global-repository",
    required=True,
    metavar="URL",
    help="Repository of the global configuration.",
)
@_shared
def add_tenant(settings: Globals, /, tenant_id: str, **options: Any) -> int:
    """Add tenant ID, if its repositories can be read.

    \b
      commodore tenant add t-shop --repository ssh://git@git.example.com/t-shop.git
          --global-repository ssh://git@git.example.com/global.git
    """
    facts_edit = add_tenant_file(
        compiling_config(settings, options, strict=False),
        tenant_id,
        _rules(options),
        display_name=options["display_name"],
        repository=options["repository"],
        global_repository=options["global_repository"],
    )
    return _shown(facts_edit, options, f"commodore cluster add ID --tenant {tenant_id}")


def _rules(options: dict[str, Any]) -> Rules:
    return Rules(strict=options["strict"], dry_run=options["dry_run"])


def _facts(given: tuple[str, ...]) -> dict[str, Any]:
    parsed = dynamic_facts.parse(given)
    if parsed.warnings:
        texts = (warning.removeprefix("dynamic ") for warning in parsed.warnings)
        raise UsageError("; ".join(text.replace(" is ignored: ", ": ") for text in texts))
    return parsed.facts


def _shown(edit: FactsEdit, options: dict[str, Any], following: str) -> int:
    """Print a new file of facts, and what may follow."""
    result.show_problems(edit.verdict)
    lines = result.diff_lines(b"", edit.content)
    if options["output"] == "text":
        messages.info(str(edit.file))
        streams.result("\n".join(lines))
        if edit.diff is not None:
            streams.result(as_text.object_diff(edit.diff))
        if edit.written:
            messages.info(f"Written; next: {following}")
    else:
        content = {
            "schema": "facts-edit/v1",
            "file": str(edit.file),
            "diff": lines,
            "problems": list(map(problem_as_data, edit.verdict.problems)),
            "catalog": None if edit.diff is None else as_json.object_diff(edit.diff),
            "written": edit.written,
        }
        streams.data(formats.structured(content))
    return 1 if edit.verdict.failing else 0
