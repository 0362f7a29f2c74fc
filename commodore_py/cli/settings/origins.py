"""Where each setting of a run comes from: flag, variable, file or default."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from commodore_py.cli.output import messages

from . import user_file
from .dotenv_file import DotEnv

if TYPE_CHECKING:
    from collections.abc import Iterator

DOTENV = "commodore_py.cli.settings.dotenv"
_CREDENTIALS = "token"
_MASKED = "********"
_USER_IN_URL = r"(?<=://)[^/@]+(?=@)"


@dataclass(frozen=True, slots=True)
class Setting:
    """The effective value of one option, and its origin."""

    command: str
    name: str
    value: Any
    origin: str
    """flag, env, dotenv, file or default."""
    place: str = ""
    """The variable, or the file and its section."""


def dotenv_of(ctx: click.Context) -> DotEnv | None:
    """The `.env` file of this run; it is what the command line starts with."""
    stored = ctx.find_root().meta.get(DOTENV)
    return stored if isinstance(stored, DotEnv) else None


def warn_of_redirected_token(ctx: click.Context, *, strict: bool) -> bool:
    """Report an API that a `.env` file names, where the token comes from elsewhere.

    The file may have come with the directory: the token would go where its author wants it.
    """
    dotenv, url = dotenv_of(ctx), ctx.params.get("api_url")
    if dotenv is None or not ctx.params.get("api_token") or "://" not in str(url):
        return False
    settings = ("COMMODORE_API_URL", "api_url"), ("COMMODORE_API_TOKEN", "api_token")
    of_url, of_token = (
        variable in dotenv.names and ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT
        for variable, name in settings
    )
    redirected = of_url and not of_token
    if redirected:
        messages.warn_or_fail(
            "the API that this file names gets a token that is not from this file",
            strict=strict,
            where=str(dotenv.path),
            hint="if the file is yours, add the token to it, or name the API with --api-url",
        )
    return redirected


def variables_of(ctx: click.Context, option: click.Option) -> tuple[str, ...]:
    """The variables that feed an option: those with names of their own, then the automatic one."""
    named = (option.envvar,) if isinstance(option.envvar, str) else tuple(option.envvar or ())
    if not (option.allow_from_autoenv and ctx.auto_envvar_prefix and option.name):
        return named
    return tuple(dict.fromkeys((*named, f"{ctx.auto_envvar_prefix}_{option.name.upper()}")))


def place_of(name: str) -> str:
    """The variable or the file that sets an option of the current command; empty for others."""
    ctx = click.get_current_context(silent=True)
    source = ctx.get_parameter_source(name) if ctx is not None else None
    if ctx is None or source is None:
        return ""
    options = (param for param in ctx.command.params if isinstance(param, click.Option))
    option = next(option for option in options if option.name == name)
    return _origin(ctx, option, source, ctx.command_path.split(" ")[1:])[1]


def settings_of(ctx: click.Context) -> Iterator[Setting]:
    """Every setting of a command and its subcommands."""
    path = ctx.command_path.split(" ")[1:]
    for option in user_file.options_of(ctx.command).values():
        yield _setting(ctx, option, path)
    if isinstance(ctx.command, click.Group):
        for name in ctx.command.list_commands(ctx):
            command = ctx.command.get_command(ctx, name)
            if command is not None:
                yield from settings_of(_as_if_called(command, ctx, name))


def global_settings(ctx: click.Context) -> Iterator[Setting]:
    """The settings of the file that have no option."""
    file = user_file.of(ctx)
    for name in user_file.GLOBAL:
        if name in file.content:
            value = file.content[name]
            shown = (
                [f"{key}={number}" for key, number in value.items()]
                if name == "time-limits"
                else value
            )
            yield Setting("", name, shown, "file", str(file.path))
    for name, value in file.content.get("cache", {}).items():
        if name in user_file.CACHE:
            yield Setting("cache", name, value, "file", f"{file.path} [cache]")


def _as_if_called(command: click.Command, parent: click.Context, name: str) -> click.Context:
    """The command's context, as if it was called without any flag."""
    ctx = click.Context(command, parent=parent, info_name=name, resilient_parsing=True)
    command.parse_args(ctx, [])
    return ctx


def _setting(ctx: click.Context, option: click.Option, path: list[str]) -> Setting:
    name = str(option.name)
    source = ctx.get_parameter_source(name) or ParameterSource.DEFAULT
    value = ctx.params.get(name)
    if value is None and source is not ParameterSource.DEFAULT:
        value = _own_value(ctx, option)
    origin, place = _origin(ctx, option, source, path)
    shown = _shown(user_file.key_of(option), value)
    return Setting(" ".join(path), user_file.key_of(option), shown, origin, place)


def _own_value(ctx: click.Context, option: click.Option) -> object:
    """A value that is no parameter of the command: that of `-v`, or why it is not valid."""
    try:
        return option.type_cast_value(ctx, option.consume_value(ctx, {})[0])
    except click.BadParameter as error:
        return f"not valid: {error.message}"


def _origin(
    ctx: click.Context, option: click.Option, source: ParameterSource, path: list[str]
) -> tuple[str, str]:
    match source:
        case ParameterSource.COMMANDLINE:
            return "flag", ""
        case ParameterSource.ENVIRONMENT:
            variable = next(name for name in variables_of(ctx, option) if os.environ.get(name))
            dotenv = dotenv_of(ctx)
            if dotenv and variable in dotenv.names:
                return "dotenv", f"{variable} in {dotenv.path}"
            return "env", variable
        case ParameterSource.DEFAULT_MAP:
            return "file", user_file.of(ctx).place_of(path, option)
        case _:
            return "default", ""


def _shown(name: str, value: object) -> object:
    if value and _CREDENTIALS in name:
        return _MASKED
    if type(value) is tuple:  # several values, not one that has parts
        return [_shown(name, item) for item in value]
    if isinstance(value, re.Pattern):
        return value.pattern
    if isinstance(value, str):
        return re.sub(_USER_IN_URL, _MASKED, value)
    return value if value is None or isinstance(value, bool | int) else str(value)
