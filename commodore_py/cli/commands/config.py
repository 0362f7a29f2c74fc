"""`commodore config …`."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from commodore_py.cli.command_classes import LazyGroup
from commodore_py.cli.output import formats, streams
from commodore_py.cli.settings import directories, user_file
from commodore_py.cli.settings.options import output_option
from commodore_py.cli.settings.origins import dotenv_of, global_settings, settings_of
from commodore_py.model.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.cli.settings.origins import Setting

_GLOBAL = "every command"


@click.group(cls=LazyGroup)
def config() -> None:
    """Show settings and where they come from."""


@config.command()
@click.argument("command", nargs=-1)
@output_option
@click.pass_context
def show(ctx: click.Context, command: tuple[str, ...], output: str) -> None:
    """Show the settings that differ from their defaults, and their origins.

    COMMAND limits the output to one command and its subcommands, beside global settings. The
    settings file contains options by their long names, in one section per command; what all
    commands share, such as `api-url`, may stand at the top:

    \b
      working-dir = "/srv/commodore"
      api-url = "https://lieutenant.example.com"
      [catalog.compile]
      processes = 4
    """
    command_path = " ".join(command).replace(".", " ")
    all_settings = tuple(settings_of(ctx.find_root()))
    if command and not any(
        setting.command and _is_wanted(setting, command_path) for setting in all_settings
    ):
        names = {setting.command for setting in all_settings if setting.command}
        meant = did_you_mean(command_path, names)
        problem = f"no command {command_path} with settings{meant and '; ' + meant}"
        raise click.BadParameter(problem, ctx, param_hint="COMMAND")
    changed = (
        setting
        for setting in all_settings
        if setting.origin != "default" and _is_wanted(setting, command_path)
    )
    settings = (*global_settings(ctx), *_each_once(tuple(changed)))
    formats.show(output, _content(ctx, settings), _lines(ctx, settings))


def _each_once(settings: Sequence[Setting]) -> Iterator[Setting]:
    """The settings; one that several commands have from the same place is one of all commands."""
    commands = Counter((setting.name, setting.place) for setting in settings)
    shared = {
        (setting.name, setting.place): replace(setting, command="")
        for setting in settings
        if commands[setting.name, setting.place] > 1
    }
    yield from shared.values()
    yield from (setting for setting in settings if (setting.name, setting.place) not in shared)


def _is_wanted(setting: Setting, command_path: str) -> bool:
    prefix = f"{setting.command} "
    return not setting.command or not command_path or prefix.startswith(f"{command_path} ")


def _lines(ctx: click.Context, settings: Iterable[Setting]) -> Iterator[str]:
    file, dotenv = user_file.of(ctx), dotenv_of(ctx)
    yield f"settings file: {file.path or f'{directories.config_file()} (not found)'}"
    yield f".env file: {dotenv.path if dotenv else 'none'}"
    shown = ""
    rows: list[tuple[str, str, str]] = []
    for setting in settings:
        if setting.command != shown or not rows:
            yield from (f"  {line}" for line in formats.table(rows))
            rows = []
            shown = setting.command
            yield ""
            yield streams.styled(shown or _GLOBAL, bold=True)
        rows.append((setting.name, _value(setting.value), (setting.place or setting.origin)))
    yield from (f"  {line}" for line in formats.table(rows))
    if not shown and not rows:
        yield from ("", "All settings have their defaults.")


def _value(value: object) -> str:
    match value:
        case None | "" | []:
            return "-"
        case bool():
            return str(value).lower()
        case list():
            return " ".join(shlex.quote(str(item)) for item in value)
    return str(value)


def _content(ctx: click.Context, settings: Iterable[Setting]) -> dict[str, object]:
    file, dotenv = user_file.of(ctx).path, dotenv_of(ctx)
    return {
        "schema": "config/v1",
        "file": str(file) if file else None,
        "dotenv": str(dotenv.path) if dotenv else None,
        "settings": [{**asdict(setting), "place": setting.place or None} for setting in settings],
    }
