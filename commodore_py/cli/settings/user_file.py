"""The user's settings file: options by their names, checked against the command tree."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from commodore_py.adapters.reading import text_of
from commodore_py.adapters.time_limits import TimeLimits
from commodore_py.cache.signed import RemoteCache, is_public_key
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import did_you_mean

from . import directories
from .types import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_META = "commodore_py.cli.settings.user_file"
# More would be more than three years, and not every clock counts that far.
_MOST_SECONDS = 100_000_000
_LARGEST = 1 << 20
_BITS = 64

SHARED = ("api-url", "api-token", "oidc-client", "oidc-discovery-url", "github-token", "strict")
"""Options of several commands that may stand at the top, for all of these."""
GLOBAL = ("cache-size", "github-url", "oidc-listen", "time-limits")
"""Settings that have no option."""
CACHE = ("remote", "remote-key", "remote-trust")
"""Settings of section `cache` that have no option."""


@dataclass(frozen=True, slots=True)
class UserFile:
    """The content of the file, and defaults as click takes them."""

    path: Path | None = None
    content: Mapping[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)

    def place_of(self, commands: Sequence[str], option: click.Option) -> str:
        """The file and the section that set an option of a command."""
        section: Any = self.content
        for name in commands:
            section = section.get(name, {})
        in_section = commands and key_of(option) in section
        return f"{self.path} [{'.'.join(commands)}]" if in_section else str(self.path)


class SharedOption(click.Option):
    """An option that may stand at the top of the file, for all commands that have it."""

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        """The value of the file, if nothing else sets the option."""
        value, source = super().consume_value(ctx, opts)
        shared = of(ctx).content
        if source is ParameterSource.DEFAULT and key_of(self) in shared:
            return shared[key_of(self)], ParameterSource.DEFAULT_MAP
        return value, source


def read(ctx: click.Context, root: click.Group) -> UserFile:
    """The settings in the user's file; reports all mistakes at once."""
    path = directories.config_file()
    text = _text(path) if path else None
    if path is None or text is None:
        return UserFile()
    try:
        content = tomllib.loads(text)
        impossible = [CommodoreError(text, where=str(path)) for text in _impossible(content)]
    except RecursionError as error:
        raise CommodoreError("nested too deeply", where=str(path)) from error
    except ValueError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else str(path)
        raise CommodoreError(f"not valid TOML: {error}", where=where) from error
    raise_collected(impossible, f"settings in {path}")
    reader = _Reader(path)
    defaults = reader.section(ctx, root, content, ())
    reader.check_top(content)
    raise_collected(reader.problems, f"settings in {path}")
    return UserFile(path, content, defaults)


def remote_cache(ctx: click.Context) -> RemoteCache | None:
    """The cache that machines share, if the file names one."""
    settings = of(ctx).content.get("cache", {})
    if "remote" not in settings:
        return None
    key = os.path.expanduser(settings.get("remote-key", ""))  # noqa: PTH111 - never raises
    trusted = tuple(settings.get("remote-trust", ()))
    return RemoteCache(settings["remote"], trusted, Path(key) if key else None)


def keep(ctx: click.Context, user_file: UserFile) -> None:
    """Make the settings the defaults of this run, and store them for `of`."""
    ctx.default_map = user_file.defaults
    ctx.meta[_META] = user_file


def of(ctx: click.Context) -> UserFile:
    """The settings file of this run."""
    stored = ctx.meta.get(_META)
    return stored if isinstance(stored, UserFile) else UserFile()


def shared_text(name: str) -> str:
    """A setting that the current command has no option for: from its variable or the file."""
    ctx = click.get_current_context(silent=True)
    in_file = of(ctx).content.get(name.replace("_", "-"), "") if ctx is not None else ""
    return os.environ.get(f"COMMODORE_{name.upper()}") or str(in_file)


def key_of(option: click.Option) -> str:
    """The name of an option in the file: its long name."""
    long = [name for name in option.opts if name.startswith("--")]
    return (long or option.opts)[0].lstrip("-")


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options that a file may set, by their names: all but --help and --version."""
    options = (param for param in command.params if isinstance(param, click.Option))
    return {key_of(option): option for option in options if not option.is_eager}


def _text(path: Path) -> str | None:
    try:
        return text_of(str(path), limit=_LARGEST).replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise CommodoreError("the settings file is not valid UTF-8", where=str(path)) from error
    except OSError as error:
        raise CommodoreError(
            f"cannot read the settings file: {error.strerror}", where=str(path)
        ) from error


class _Reader:
    """Checks a file against the command tree and collects what is wrong."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.problems: list[CommodoreError] = []

    def section(
        self,
        ctx: click.Context,
        command: click.Command,
        table: Mapping[str, Any],
        at: Sequence[str],
    ) -> dict[str, Any]:
        """One command's options and, for a group, the sections of its commands."""
        options = options_of(command)
        commands = command.list_commands(ctx) if isinstance(command, click.Group) else []
        others = {(): (*SHARED, *GLOBAL), ("cache",): CACHE}.get(tuple(at), ())
        section: dict[str, Any] = {}
        for key, value in table.items():
            inner = command.get_command(ctx, key) if isinstance(command, click.Group) else None
            if key in options:
                if problem := _problem(options[key], value, ctx):
                    self._reject(f"{'.'.join((*at, key))}: {problem}")
                section[str(options[key].name)] = value
            elif isinstance(value, dict) and inner is not None:
                section[key] = self.section(ctx, inner, value, (*at, key))
            elif key not in others:
                what = "section" if isinstance(value, dict) else "setting"
                names = commands if isinstance(value, dict) else (*options, *others)
                hint = did_you_mean(key, names, listed="available:")
                if owners := [f"[{'.'.join((*at, name))}]" for name in _owners(ctx, command, key)]:
                    sections = " or ".join(owners)
                    hint = f"it is an option of a command: put it into section {sections}"
                above = f"[{'.'.join(at)}]" if at else "the top level"
                self._reject(f"unknown {what} {key} in {above}", hint)
        return section

    def check_top(self, content: Mapping[str, Any]) -> None:
        """Check what is for all commands, and settings that have no option."""
        for key in content.keys() & {*SHARED, *GLOBAL} - {"time-limits", "strict"}:
            self._check_text(key, content[key])
        if not isinstance(content.get("strict", False), bool):
            self._reject(f"strict: expected true or false, not {_shown(content['strict'])}")
        size = content.get("cache-size")
        if isinstance(size, str) and (problem := size_of(size)[1]):
            self._reject(f"cache-size: {problem}")
        if problem := _problem_of_limits(content.get("time-limits", {})):
            self._reject(f"time-limits: {problem}")
        cache = content.get("cache")
        if isinstance(cache, dict) and not cache.keys().isdisjoint(CACHE):
            self._check_cache(cache)

    def _check_cache(self, settings: Mapping[str, Any]) -> None:
        """Check the settings of the cache that machines share."""
        for name in ("remote", "remote-key"):
            self._check_text(f"cache.{name}", settings.get(name, ""))
        trusted = settings.get("remote-trust", [])
        if not isinstance(trusted, list) or not all(
            isinstance(key, str) and is_public_key(key) for key in trusted
        ):
            self._reject("cache.remote-trust: expected a list of Ed25519 public keys in base64")
        key = str(settings.get("remote-key", ""))
        if os.path.expanduser(key).startswith("~"):  # noqa: PTH111 - never raises
            self._reject(f"cache.remote-key: there is no such home directory: {key!r}")
        remote = str(settings.get("remote", ""))
        if "://" not in remote:
            hint = "name the address, such as s3://BUCKET/FOLDER or file:///FOLDER"
            self._reject("cache.remote: the address has no scheme", hint)
        elif not trusted and not settings.get("remote-key"):
            self._reject(
                "cache.remote has no writers: neither remote-trust nor remote-key is set",
                "name the public keys of those who may write to it in remote-trust",
            )

    def _check_text(self, key: str, value: object) -> None:
        if not isinstance(value, str):
            self._reject(f"{key}: expected a string, not {_shown(value)}")

    def _reject(self, problem: str, hint: str = "") -> None:
        self.problems.append(CommodoreError(problem, where=str(self._path), hint=hint))


def _impossible(value: object, at: Sequence[str] = ()) -> Iterator[str]:
    """Problems of values that neither an option nor the system can take."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _impossible(inner, (*at, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _impossible(inner, at)
    elif isinstance(value, str) and "\0" in value:
        yield f"{'.'.join(at)}: it contains a null character"
    elif isinstance(value, int) and value.bit_length() > _BITS:
        yield f"{'.'.join(at)}: an integer has at most {_BITS} bits"


def _problem_of_limits(limits: object) -> str:
    names = TimeLimits.names()
    if not isinstance(limits, dict):
        return f"expected a table of seconds, by these names: {', '.join(names)}"
    for name, seconds in limits.items():
        if name not in names:
            return f"{name!r} is not a time limit; these are: {', '.join(names)}"
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 <= seconds < _MOST_SECONDS:
            return f"{name}: expected a number of seconds, not {_shown(seconds)}"
    return ""


def _owners(ctx: click.Context, command: click.Command, key: str) -> Iterator[str]:
    """The commands below a group that have an option."""
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            if inner is not None:
                if key in options_of(inner):
                    yield name
                yield from (f"{name}.{owner}" for owner in _owners(ctx, inner, key))


def _problem(option: click.Option, value: object, ctx: click.Context) -> str:
    if option.is_bool_flag:
        expected, fits = "true or false", isinstance(value, bool)
    elif option.count or isinstance(option.type, click.types.IntParamType):
        expected, fits = "an integer", isinstance(value, int) and not isinstance(value, bool)
    elif option.multiple:
        fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
        expected = "a list of strings"
    else:
        expected, fits = "a string", isinstance(value, str)
    if not fits:
        return f"expected {expected}, not {_shown(value)}"
    if isinstance(option.type, click.Choice | click.types.IntParamType):
        try:
            option.type_cast_value(ctx, value)
        except click.BadParameter as error:
            return error.message.rstrip(".")
    return ""


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
