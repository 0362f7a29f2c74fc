"""The commands about edits of parameters and applications."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters.reading import bytes_of, bytes_of_pipe
from commodore_py.adapters.yaml.emitter import emit
from commodore_py.cli import completion
from commodore_py.cli.cluster_option import cluster_option
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import (
    Globals,
    compiling_config,
    compiling_options,
    config_of,
    dry_run_option,
    with_options,
)
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.class_edits import value_of
from commodore_py.workflows.catalog import several
from commodore_py.workflows.editing import transaction
from commodore_py.workflows.editing.plan import value_at
from commodore_py.workflows.editing.requests import Request, Rules

from . import result

if TYPE_CHECKING:
    from commodore_py.workflows.editing.requests import Level, Verb

_LONGEST = 1 << 24

_path = click.argument("path", shell_complete=completion.editable)
_value = click.argument("value", required=False, shell_complete=completion.values)
_from_file = click.option(
    "--from-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read VALUE from FILE.",
)


_edit_options = with_options(
    click.option(
        "--tenant", is_flag=True, help="Edit a class of the tenant, not one of the cluster."
    ),
    click.option("--global", "everywhere", is_flag=True, help="Edit a class of all clusters."),
    click.option(
        "--at",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Edit exactly this class file.",
    ),
    click.option(
        "--target",
        default="",
        metavar="INSTANCE",
        shell_complete=completion.targets,
        help="Look at the layers of this instance.",
    ),
    dry_run_option,
    click.option("--commit", is_flag=True, help="Commit the file of the edit, nothing else."),
    click.option("--push", is_flag=True, help="Commit the file, and push the commit."),
    click.option(
        "--cluster",
        "clusters",
        multiple=True,
        metavar="ID|all",
        shell_complete=completion.clusters,
        help="Also compile this cluster with the edit, or all of the tenant; with --global all"
        " there are. May be repeated. Where several clusters were compiled in the working"
        " directory, the first one is edited.",
    ),
    compiling_options,
    click.pass_obj,
)
"""What every edit has."""


@click.group(cls=LazyGroup)
def edit() -> None:
    """Change a parameter in the class file where it belongs.

    PATH is written as for `inventory explain`; components.NAME, packages.NAME and applications are
    paths, too. An edit changes the bytes of one node. Before it is written, the cluster is compiled
    with it in memory, and the changes of objects are shown.

    \b
      commodore edit set web_shop.replicas 3
      commodore edit set components.backup.version v2.0.0
      commodore edit add monitoring.channels chat --tenant
      commodore edit add applications backup
    """


@edit.command()
@_path
@click.option(
    "--target",
    default="",
    metavar="INSTANCE",
    shell_complete=completion.targets,
    help="Print the value of this instance.",
)
@cluster_option
@click.pass_obj
def get(settings: Globals, /, path: str, target: str, cluster: str) -> None:
    """Print the merged value at PATH; on stderr, the layer that sets it."""
    paths = several.paths_of(config_of(settings).paths, cluster)
    value, place = value_at(paths, path, target)
    if place:
        messages.info(f"Set by {place}")
    streams.data(emit(value).removesuffix("...\n").removesuffix("\n"))


@edit.command(name="set")
@_path
@_value
@_from_file
@_edit_options
def set_(settings: Globals, /, path: str, value: str | None, **options: Any) -> int:
    """Set PATH to VALUE, which is YAML; `-` reads it from stdin.

    \b
      commodore edit set web_shop.replicas 3
      commodore edit set web_shop.settings '{CURRENCY: EUR}' --tenant
      commodore edit set components.backup '{url: https://git.example.com/backup.git, version: v1}'
    """
    return _run(settings, "set", path, options, _value_of(value, options["from_file"]))


@edit.command()
@_path
@_edit_options
def unset(settings: Globals, /, path: str, **options: Any) -> int:
    """Remove PATH from a layer; what lower layers set applies again."""
    return _run(settings, "unset", path, options)


@edit.command()
@_path
@_value
@_from_file
@_edit_options
def add(settings: Globals, /, path: str, value: str | None, **options: Any) -> int:
    """Add VALUE to a layer's own list at PATH, unless it is there.

    \b
      commodore edit add monitoring.channels chat
      commodore edit add applications 'backup as backup-archive' --tenant
    """
    return _run(settings, "add", path, options, _item(value, options["from_file"]))


@edit.command()
@_path
@_value
@_from_file
@_edit_options
def remove(settings: Globals, /, path: str, value: str | None, **options: Any) -> int:
    """Remove VALUE from a layer's own list at PATH.

    An application that a lower layer lists is removed by an item of its own; its parameters stay.

    \b
      commodore edit remove applications backup
    """
    return _run(settings, "remove", path, options, _item(value, options["from_file"]))


def _item(text: str | None, file: Path | None) -> Any:
    """An item, or nothing: the path of an application names it."""
    return None if text is None and file is None else _value_of(text, file)


def _value_of(text: str | None, file: Path | None) -> Any:
    """The value of the command line, of a file, or of stdin."""
    if file is not None:
        if text is not None:
            raise UsageError("VALUE and --from-file exclude each other")
        try:
            read = bytes_of_pipe if file.is_fifo() else bytes_of
            text = read(str(file), limit=_LONGEST).decode()
        except (OSError, UnicodeDecodeError) as error:
            problem = getattr(error, "strerror", None) or "not valid UTF-8"
            raise UsageError(f"cannot read: {problem}", where=str(file)) from error
    elif text == "-":
        text = sys.stdin.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise UsageError(f"the text on stdin is longer than {_LONGEST:,} characters")
        if not text:
            raise UsageError("stdin is empty")
    if text is None:
        raise UsageError("VALUE is missing", hint="name it, `-` for stdin, or --from-file FILE")
    try:
        return value_of(text)
    except CommodoreError as error:
        raise UsageError(
            f"VALUE cannot be used: {error}",
            where=error.where,
            hint="VALUE is YAML: put a text in quotes, such as '\"[a\"'",
        ) from None


def _run(
    settings: Globals,
    verb: Verb,
    path: str,
    options: dict[str, Any],
    value: Any = None,
) -> int:
    """Carry out an edit, and show it."""
    request = Request(verb, path, value, _level(options), options["at"], options["target"])
    config, others = compiling_config(settings, options, strict=False), options["clusters"]
    compiled_cluster = next((other for other in others if other != "all"), "")
    if not config.paths.params_file.is_file():  # where several clusters were compiled
        config = replace(config, paths=several.paths_of(config.paths, compiled_cluster))
        others = tuple(other for other in others if other != compiled_cluster)
    rules = Rules(
        strict=options["strict"],
        dry_run=options["dry_run"],
        clusters=others,
        commit=options["commit"] or options["push"],
        push=options["push"],
    )
    applied = transaction.run(config, request, rules)
    if not applied.plan:
        where = "the cluster" if applied.plan.application else applied.plan.choice.shown
        messages.info(f"Nothing to do: {where} has that already")
        return 0
    result.show(applied, options["output"])
    return 1 if applied.verdict.failing else 0


def _level(options: dict[str, Any]) -> Level:
    if options["tenant"] and options["everywhere"]:
        raise click.UsageError("--tenant and --global exclude each other.")
    if options["tenant"]:
        return "tenant"
    return "global" if options["everywhere"] else "cluster"
