"""The commands about edits of parameters and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli import completion
from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import messages, streams
from commodore_py.cli.settings.options import HELP, Globals, config_of, verbose_option

from .options import (
    edit_options,
    parameter_options,
    path_argument,
    run_requests,
    value_options,
    values_of,
)

if TYPE_CHECKING:
    from commodore_py.workflows.editing.requests import Request, Verb

_ROOM = "commodore_py.cli.commands.edit"
_ELSEWHERE = {
    "apply": (f"{_ROOM}.apply:apply", "Carry out the operations that FILE lists, or none."),
    "component": (f"{_ROOM}.components:component", "Add and remove components and packages."),
    "log": (f"{_ROOM}.history:log", "List the edits that were written here."),
    "options": (f"{_ROOM}.legal:options", "List values that PATH may have."),
    "undo": (f"{_ROOM}.history:undo", "Take back the last edit, or edit ID."),
}


@click.group(cls=LazyGroup, commands_at=_ELSEWHERE, context_settings=HELP)
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


@edit.command()
@path_argument
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
@path_argument
@click.argument("value", nargs=-1, metavar="VALUE", shell_complete=completion.values)
@value_options
@parameter_options
def set_(settings: Globals, /, path: str, value: tuple[str, ...], **options: Any) -> int:
    """Set PATH to VALUE, which is YAML; `-` reads it from stdin.

    \b
      commodore edit set web_shop.replicas 3
      commodore edit set web_shop.settings '{CURRENCY: EUR}' --tenant
    """
    return _run(settings, "set", path, value, options)


@edit.command()
@path_argument
@click.argument("value", nargs=-1, metavar="VALUE", shell_complete=completion.values)
@click.option("--constant", is_flag=True, help="Also keep higher layers from setting it.")
@value_options
@parameter_options
def override(
    settings: Globals, /, path: str, value: tuple[str, ...], constant: bool, **options: Any
) -> int:
    """Set PATH to VALUE, in place of all that lower layers set there."""
    return _run(settings, "override", path, value, options, constant=constant)


@edit.command()
@path_argument
@parameter_options
def unset(settings: Globals, /, path: str, **options: Any) -> int:
    """Remove PATH from a layer; what lower layers set applies again."""
    return run_requests(settings, [_request("unset", path)], options)


@edit.command()
@path_argument
@click.argument("values", nargs=-1, metavar="VALUE...")
@value_options
@parameter_options
def append(settings: Globals, /, path: str, values: tuple[str, ...], **options: Any) -> int:
    """Add VALUEs to a layer's own list at PATH, unless they are there."""
    return _run(settings, "append", path, values, options)


@edit.command()
@path_argument
@click.argument("values", nargs=-1, metavar="VALUE...")
@value_options
@parameter_options
def remove(settings: Globals, /, path: str, values: tuple[str, ...], **options: Any) -> int:
    """Remove VALUEs from a layer's own list at PATH."""
    return _run(settings, "remove", path, values, options)


@edit.group(cls=LazyGroup)
def application() -> None:
    """Enable and disable applications: instances of components, and packages."""


@application.command()
@click.argument("name")
@edit_options
def enable(settings: Globals, /, name: str, **options: Any) -> int:
    """List NAME in the applications of a class, unless it is enabled.

    \b
      commodore edit application enable backup
      commodore edit application enable 'backup as backup-archive' --tenant
    """
    return run_requests(settings, [_request("enable", name)], options)


@application.command()
@click.argument("name")
@edit_options
def disable(settings: Globals, /, name: str, **options: Any) -> int:
    """Remove NAME from the applications of a class, or list its removal.

    Its parameters stay.
    """
    return run_requests(settings, [_request("disable", name)], options)


def _run(
    settings: Globals,
    verb: Verb,
    path: str,
    values: tuple[str, ...],
    options: dict[str, Any],
    *,
    constant: bool = False,
) -> int:
    """Change a parameter."""
    from commodore_py.workflows.editing.requests import Request

    if verb in ("set", "override") and len(values) > 1:
        raise click.UsageError("Only one VALUE can be set; quote one that has blanks.")
    request = Request(verb, path, values_of(values, options), constant=constant)
    return run_requests(settings, [request], options)


def _request(verb: Verb, path: str) -> Request:
    from commodore_py.workflows.editing.requests import Request

    return Request(verb, path)
