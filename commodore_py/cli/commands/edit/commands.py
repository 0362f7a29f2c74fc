"""The commands about edits."""

from __future__ import annotations

import sys
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
    config_of,
    output_option,
    strict_option,
    verbose_option,
    with_options,
)

from . import result

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.workflows.editing.layers import Level
    from commodore_py.workflows.editing.plan import Planned, Verb, Where

    _Command: TypeAlias = Callable[..., Any]

_LONGEST = 1 << 24
_VALIDATIONS = ("none", "inventory", "compile")


@click.group(cls=LazyGroup, context_settings=HELP)
@verbose_option
@click.pass_context
def edit(ctx: click.Context, verbose: int) -> None:
    """Change a parameter in the class file where it belongs.

    PATH is written as for `inventory explain`. An edit changes the bytes of one node. Before
    it is written, the cluster is compiled with it in memory, and the changes of objects are shown.

    \b
      commodore edit set web_shop.replicas 3
      commodore edit append monitoring.channels chat --tenant
      commodore edit undo
    """
    ctx.obj = ctx.obj.more_verbose(verbose)


def _path(command: _Command) -> _Command:
    return click.argument("path", shell_complete=completion.parameters)(command)


def _parameter_options(command: _Command) -> _Command:
    return with_options(
        click.option(
            "--target",
            default="",
            metavar="INSTANCE",
            shell_complete=completion.targets,
            help="Look at the layers of this instance.",
        ),
        click.option("--through-anchor", is_flag=True, help="Also change what aliases lead to."),
        _edit_options,
    )(command)


def _edit_options(command: _Command) -> _Command:
    return with_options(
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
            "--validate",
            type=click.Choice(_VALIDATIONS),
            default="compile",
            show_default=True,
            help="How far to check the outcome before anything is written.",
        ),
        click.option("--dry-run", is_flag=True, help="Show what would change; write nothing."),
        click.option("--exit-code", is_flag=True, help="Exit with status 5 if there are changes."),
        click.option(
            "--allow-data-loss",
            is_flag=True,
            help="Accept that objects with data are deleted.",
        ),
        output_option,
        strict_option,
        verbose_option,
    )(click.pass_obj(command))


def _value_options(command: _Command) -> _Command:
    return with_options(
        click.option("--string", is_flag=True, help="Take VALUE as text, not as YAML."),
        click.option(
            "--no-references", is_flag=True, help="Take ${…} in VALUE as text, not as references."
        ),
    )(command)


@edit.command()
@_path
@click.option(
    "--target",
    default="",
    metavar="INSTANCE",
    shell_complete=completion.targets,
    help="Print the value of this instance.",
)
@verbose_option
@click.pass_obj
def get(settings: Globals, /, path: str, target: str, verbose: int) -> None:
    """Print the merged value at PATH; on stderr, the layer that sets it."""
    from commodore_py.adapters.yaml.emitter import emit
    from commodore_py.inventory.explain import explanation

    paths = config_of(settings.more_verbose(verbose)).paths
    found = explanation.explain(paths, target or "cluster", path)
    messages.info(f"Set by {found.changes[-1].place}")
    streams.data(emit(found.value).removesuffix("...\n").removesuffix("\n"))


@edit.command(name="set")
@_path
@click.argument("value")
@_value_options
@_parameter_options
def set_(settings: Globals, /, path: str, value: str, **options: Any) -> int:
    """Set PATH to VALUE, which is YAML; `-` reads it from stdin.

    \b
      commodore edit set web_shop.replicas 3
      commodore edit set web_shop.settings '{CURRENCY: EUR}' --tenant
    """
    return _run(settings, "set", path, (_value(value, options),), options)


@edit.command()
@_path
@click.argument("value")
@click.option("--constant", is_flag=True, help="Also keep higher layers from setting it.")
@_value_options
@_parameter_options
def override(settings: Globals, /, path: str, value: str, constant: bool, **options: Any) -> int:
    """Set PATH to VALUE, in place of all that lower layers set there."""
    values = (_value(value, options),)
    return _run(settings, "override", path, values, options, constant=constant)


@edit.command()
@_path
@_parameter_options
def unset(settings: Globals, /, path: str, **options: Any) -> int:
    """Remove PATH from a layer; what lower layers set applies again."""
    return _run(settings, "unset", path, (), options)


@edit.command()
@_path
@click.argument("values", nargs=-1, required=True, metavar="VALUE...")
@_value_options
@_parameter_options
def append(settings: Globals, /, path: str, values: tuple[str, ...], **options: Any) -> int:
    """Add VALUEs to a layer's own list at PATH, unless they are there."""
    return _run(settings, "append", path, _values(values, options), options)


@edit.command()
@_path
@click.argument("values", nargs=-1, required=True, metavar="VALUE...")
@_value_options
@_parameter_options
def remove(settings: Globals, /, path: str, values: tuple[str, ...], **options: Any) -> int:
    """Remove VALUEs from a layer's own list at PATH."""
    return _run(settings, "remove", path, _values(values, options), options)


@edit.group(cls=LazyGroup)
def application() -> None:
    """Enable and disable applications: instances of components, and packages."""


@application.command()
@click.argument("name")
@_edit_options
def enable(settings: Globals, /, name: str, **options: Any) -> int:
    """List NAME in the applications of a class, unless it is enabled.

    \b
      commodore edit application enable backup
      commodore edit application enable 'backup as backup-archive' --tenant
    """
    return _run_application(settings, name, options, enable=True)


@application.command()
@click.argument("name")
@_edit_options
def disable(settings: Globals, /, name: str, **options: Any) -> int:
    """Remove NAME from the applications of a class, or list its removal.

    Its parameters stay.
    """
    return _run_application(settings, name, options, enable=False)


@edit.command()
@click.argument("number", metavar="[ID]", default="")
@verbose_option
@click.pass_obj
def undo(settings: Globals, /, number: str, verbose: int) -> None:
    """Give a file the bytes that it had before the last edit, or before edit ID.

    Undoing an edit that was undone makes it again.
    """
    from commodore_py.dependencies.protection.run_lock import exclusive_run
    from commodore_py.workflows.editing import journal

    paths = config_of(settings.more_verbose(verbose)).paths
    with exclusive_run(paths):
        entry = journal.undo(paths, number)
    did = "Undid" if entry.undone else "Made again"
    messages.info(f"{did} edit {entry.id}: {entry.operation} in {entry.file}")


@edit.command()
@output_option
@verbose_option
@click.pass_obj
def log(settings: Globals, /, output: str, verbose: int) -> None:
    """List the edits that were written in this working directory."""
    from commodore_py.workflows.editing import journal

    entries = journal.entries(config_of(settings.more_verbose(verbose)).paths)
    if output != "text":
        from commodore_py.cli.output import formats

        keys = ("id", "time", "operation", "file", "undone")
        listed = [{key: getattr(entry, key) for key in keys} for entry in entries]
        content = {"schema": "edit-log/v1", "edits": listed}
        streams.data(formats.structured(content, output))
        return
    for entry in reversed(entries):
        undone = "  (undone)" if entry.undone else ""
        streams.result(f"{entry.id:>4}  {entry.time}  {entry.operation}  {entry.file}{undone}")


def _value(text: str, options: dict[str, Any]) -> Any:
    from commodore_py.errors import CommodoreError, UsageError
    from commodore_py.inventory.engine.class_edits import value_of

    if text == "-":
        text = sys.stdin.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise UsageError(f"VALUE on stdin is longer than {_LONGEST:,} characters")
        if not text and not options["string"]:
            raise UsageError("stdin is empty", hint="--string takes the empty text")
    if options["no_references"]:
        text = text.replace("${", "\\${")
    if options["string"]:
        return text
    try:
        return value_of(text)
    except CommodoreError as error:
        raise UsageError(
            f"VALUE cannot be used: {error}", where=error.where, hint="--string takes it as it is"
        ) from None


def _values(texts: tuple[str, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(_value(text, options) for text in texts)


def _run(
    settings: Globals,
    verb: Verb,
    path: str,
    values: tuple[Any, ...],
    options: dict[str, Any],
    *,
    constant: bool = False,
) -> int:
    """Change a parameter."""
    from commodore_py.workflows.editing import plan
    from commodore_py.workflows.editing.plan import Request

    config = _config(settings, options)
    request = Request(verb, path, values, constant=constant)
    check = options["validate"] != "none"
    planned = plan.plan(config.paths, request, _where(options), check=check)
    return _carry_out(config, f"{verb} {path}", planned, options)


def _run_application(settings: Globals, name: str, options: dict[str, Any], *, enable: bool) -> int:
    """Change the list of applications."""
    from commodore_py.workflows.editing import applications

    config = _config(settings, options)
    planned = applications.plan(config.paths, name, _where(options), enable=enable)
    verb = "enable" if enable else "disable"
    return _carry_out(config, f"application {verb} {name}", planned, options)


def _config(settings: Globals, options: dict[str, Any]) -> Config:
    from commodore_py.cli.settings import directories

    return config_of(
        settings.more_verbose(options["verbose"]),
        **directories.caches_in(directories.cache_folder()),
    )


def _where(options: dict[str, Any]) -> Where:
    from commodore_py.workflows.editing.plan import Where

    anchors = options.get("through_anchor", False)
    return Where(_level(options), options["at"], options.get("target", ""), anchors)


def _carry_out(config: Config, operation: str, planned: Planned, options: dict[str, Any]) -> int:
    """Check, show, write."""
    from commodore_py.dependencies.protection.run_lock import exclusive_run
    from commodore_py.workflows.editing import journal

    _refuse(planned, strict=options["strict"])
    if planned.before == planned.after:
        messages.info(f"Nothing to do: {planned.choice.shown} has that already")
        return 0
    diff = None
    if options["validate"] == "compile":
        diff = _outcome(config, planned)
        _refuse_data_loss(diff, allowed=options["allow_data_loss"] or options["dry_run"])
    entry = None
    if not options["dry_run"]:
        with exclusive_run(config.paths):
            entry = journal.write(
                config.paths, operation, planned.file, planned.before, planned.after
            )
    result.show(planned, diff, options["output"], "" if entry is None else entry.id)
    return CHANGES_FOUND if options["exit_code"] else 0


def _level(options: dict[str, Any]) -> Level:
    if options["tenant"] and options["everywhere"]:
        raise click.UsageError("--tenant and --global exclude each other.")
    if options["tenant"]:
        return "tenant"
    return "global" if options["everywhere"] else "cluster"


def _refuse(planned: Planned, *, strict: bool) -> None:
    from commodore_py.errors import raise_collected

    wrong = [one for one in planned.problems if one.severity == "error" or strict]
    raise_collected([one.as_error() for one in wrong], "the edit is refused; nothing was written")
    messages.notices(planned.problems)


def _outcome(config: Config, planned: Planned) -> ObjectDiff:
    from commodore_py.cli.output import differences
    from commodore_py.lieutenant.last_compile import cluster_id_in
    from commodore_py.workflows.editing import outcome

    change = outcome.change_of(config, cluster_id_in(config.paths), planned)
    return differences.diff_of(change, differences.DiffOptions("objects"))


def _refuse_data_loss(diff: ObjectDiff, *, allowed: bool) -> None:
    from commodore_py.errors import CommodoreError

    lost = [change for change in diff.objects if change.grade == "data-loss"]
    if lost and not allowed:
        names = ", ".join(str(change.id) for change in lost)
        raise CommodoreError(
            f"the edit would lose data: {names}",
            hint="nothing was written; --allow-data-loss accepts it, --dry-run shows all changes",
        )
