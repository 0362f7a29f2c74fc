"""The user's settings file: options by their names, checked against the command tree."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.adapters.reading import text_of
from commodore_py.adapters.time_limits import TimeLimits
from commodore_py.cache.signed import RemoteCache, is_public_key
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import did_you_mean

from . import directories
from .types import size_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_META = "commodore_py.cli.settings.user_file"
_BITS = 64
# More would be more than three years, and not every clock counts that far.
_MOST_SECONDS = 100_000_000
_LARGEST = 1 << 20

SHARED = ("api-url", "api-token", "oidc-client", "oidc-discovery-url", "github-token", "strict")
"""Options of several commands that may stand at the top, for all of these."""
GLOBAL = ("cache-size", "github-url", "oidc-listen", "time-limits")
"""Settings that have no option."""
CACHE = ("remote", "remote-key", "remote-trust")
"""Settings of section `cache` that have no option."""
_ALL = "config"

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UserFile:
    """Defaults as click takes them, and the section of each in the file."""

    path: Path | None
    defaults: dict[str, Any]
    sections: Mapping[Place, Place]
    shared: Mapping[str, Any] = field(default_factory=dict)
    """What stands at the top, for all commands."""

    def place_of(self, setting: Place) -> str:
        """The file and the section that set an option."""
        section = ".".join(self.sections.get(setting, ()))
        return f"{self.path} [{section}]" if section else str(self.path)


def read(ctx: click.Context, root: click.Group, words: Collection[str] = ()) -> UserFile:
    """The settings in the user's file for a command line; reports all mistakes at once."""
    path = directories.config_file()
    text = _text(path) if path else None
    if path is None or text is None:
        return UserFile(None, {}, {})

    import tomllib  # most users have no such file

    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise CommodoreError("nested too deeply", where=str(path)) from error
    except ValueError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else str(path)
        raise CommodoreError(f"not valid TOML: {error}", where=where) from error
    reader = _Reader(path)
    defaults = reader.section(ctx, root, content, ())
    shared = {key: content[key] for key in SHARED if key in content}
    if shared:
        reader.share(shared, ctx, root, defaults, () if _ALL in words else words)
    settings = {key: content[key] for key in GLOBAL if key in content}
    reader.check_global(settings)
    section = content.get("cache")
    section = section if isinstance(section, dict) else {}
    if shared_cache := {key: section[key] for key in CACHE if key in section}:
        reader.check_cache(shared_cache)
        settings["cache"] = shared_cache
    raise_collected(reader.problems, f"settings in {path}")
    return UserFile(path, defaults, reader.sections, {**shared, **settings})


def remote_cache(ctx: click.Context) -> RemoteCache | None:
    """The cache that machines share, if the file names one."""
    settings = of(ctx).shared.get("cache")
    if not settings:
        return None
    key = settings.get("remote-key")
    trusted = tuple(settings.get("remote-trust", ()))
    return RemoteCache(settings["remote"], trusted, Path(key).expanduser() if key else None)


def keep(ctx: click.Context, user_file: UserFile) -> None:
    """Make the settings the defaults of this run, and store them for `of`."""
    ctx.default_map = user_file.defaults
    ctx.meta[_META] = user_file


def of(ctx: click.Context) -> UserFile:
    """The settings file of this run."""
    stored = ctx.meta.get(_META)
    return stored if isinstance(stored, UserFile) else UserFile(None, {}, {})


def shared_text(name: str) -> str:
    """A setting that the current command has no option for: from its variable or the file."""
    ctx = click.get_current_context(silent=True)
    in_file = of(ctx).shared.get(name.replace("_", "-")) if ctx is not None else None
    return os.environ.get(f"COMMODORE_{name.upper()}") or (
        in_file if isinstance(in_file, str) else ""
    )


def key_of(option: click.Option) -> str:
    """The name of an option in the file: its long name."""
    long = [name for name in option.opts if name.startswith("--")]
    return (long or option.opts)[0].lstrip("-")


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
        self.sections: dict[Place, Place] = {}

    def section(
        self, ctx: click.Context, command: click.Command, table: Mapping[str, Any], at: Place
    ) -> dict[str, Any]:
        """One command's options and, for a group, the sections of its commands."""
        options = {key_of(option): option for option in options_of(command)}
        commands = command.list_commands(ctx) if isinstance(command, click.Group) else []
        section: dict[str, Any] = {}
        for key, value in table.items():
            inner = command.get_command(ctx, key) if isinstance(command, click.Group) else None
            if not at and key in (*SHARED, *GLOBAL) and key not in options:
                continue
            if at == ("cache",) and key in CACHE:
                continue
            if isinstance(value, dict) and inner is not None:
                section[key] = self.section(ctx, inner, value, (*at, key))
            elif isinstance(value, dict):
                self._unknown("section", at, key, commands)
            elif key not in options:
                names = options if at else (*options, *SHARED, *GLOBAL)
                names = (*options, *CACHE) if at == ("cache",) else names
                self._unknown("setting", at, key, names, _owners(ctx, command, key))
            else:
                self._check(options[key], value, ctx, (*at, key))
                section[str(options[key].name)] = value
                self.sections[*at, str(options[key].name)] = at
        return section

    def share(
        self,
        shared: Mapping[str, Any],
        ctx: click.Context,
        group: click.Group,
        sections: dict[str, Any],
        words: Collection[str],
        at: Place = (),
    ) -> None:
        """Add what holds for all commands to the sections of these, or of all without any."""
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name) if not words or name in words else None
            if command is None:
                continue
            section = sections.get(name, {})
            for option in options_of(command):
                key, parameter = key_of(option), str(option.name)
                if key in shared and parameter not in section:
                    self._check(option, shared[key], ctx, (key,))
                    section[parameter] = shared[key]
            if isinstance(command, click.Group):
                self.share(shared, ctx, command, section, words, (*at, name))
            if section:
                sections[name] = section

    def check_global(self, settings: Mapping[str, Any]) -> None:
        """Check the settings that have no option."""
        for key, value in settings.items():
            problem = _problem_of_global(key, value)
            if problem:
                self._reject(f"{key}: {problem}")

    def check_cache(self, settings: Mapping[str, Any]) -> None:
        """Check the settings of the cache that machines share."""
        for name in ("remote", "remote-key"):
            if not isinstance(settings.get(name, ""), str):
                self._reject(f"cache.{name}: expected a string, not {_shown(settings[name])}")
        trusted = settings.get("remote-trust", [])
        if not isinstance(trusted, list) or not all(
            isinstance(key, str) and is_public_key(key) for key in trusted
        ):
            self._reject("cache.remote-trust: expected a list of Ed25519 public keys in base64")
        remote, key = settings.get("remote"), settings.get("remote-key")
        hint = "name the address, such as s3://BUCKET/FOLDER or file:///FOLDER"
        if not remote:
            self._reject("cache.remote is missing", hint)
        elif isinstance(remote, str) and "://" not in remote:
            self._reject("cache.remote: the address has no scheme", hint)
        elif not trusted and not key:
            self._reject(
                "cache.remote has no writers: neither remote-trust nor remote-key is set",
                "name the public keys of those who may write to it in remote-trust",
            )
        try:
            Path(key if isinstance(key, str) else "").expanduser()
        except RuntimeError:
            self._reject(f"cache.remote-key: there is no such home directory: {_shown(key)}")

    def _check(self, option: click.Option, value: object, ctx: click.Context, at: Place) -> None:
        problem = _problem(option, value, ctx)
        if problem:
            self._reject(f"{'.'.join(at)}: {problem}")

    def _unknown(
        self, what: str, at: Place, key: str, names: Iterable[str], owners: Iterable[str] = ()
    ) -> None:
        hint = did_you_mean(key, names, listed="available:")
        sections = [f"[{'.'.join((*at, owner))}]" for owner in owners]
        if sections:
            hint = f"it is an option of a command: put it into section {' or '.join(sections)}"
        above = f"[{'.'.join(at)}]" if at else "the top level"
        self._reject(f"unknown {what} {key} in {above}", hint)

    def _reject(self, problem: str, hint: str = "") -> None:
        error = CommodoreError(problem, where=str(self._path), hint=hint)
        if problem not in map(str, self.problems):
            self.problems.append(error)


def _problem_of_global(key: str, value: object) -> str:
    if key == "time-limits":
        names = TimeLimits.names()
        if not isinstance(value, dict):
            return f"expected a table of seconds, by these names: {', '.join(names)}"
        for name, seconds in value.items():
            if name not in names:
                return f"{name!r} is not a time limit; these are: {', '.join(names)}"
            is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
            if not is_number or not 0 <= seconds < _MOST_SECONDS:
                return f"{name}: expected a number of seconds, not {_shown(seconds)}"
        return ""
    if not isinstance(value, str):
        return f"expected a string, not {_shown(value)}"
    return size_of(value)[1] if key == "cache-size" else ""


def _owners(ctx: click.Context, command: click.Command, key: str) -> Iterator[str]:
    """The commands below a group that have an option."""
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            if inner is not None:
                if any(key_of(option) == key for option in options_of(inner)):
                    yield name
                yield from (f"{name}.{owner}" for owner in _owners(ctx, inner, key))


def options_of(command: click.Command) -> Iterator[click.Option]:
    """The options that a file may set: all but --help and --version."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_eager:
            yield parameter


def _problem(option: click.Option, value: object, ctx: click.Context) -> str:
    expected, fits = _fits(option, value)
    if isinstance(value, int) and value.bit_length() > _BITS:
        return "an integer has at most 64 bits"
    if any("\0" in text for text in _texts(value)):
        return "it contains a null character"
    if not fits:
        return f"expected {expected}, not {_shown(value)}"
    if isinstance(option.type, click.Choice | click.types.IntParamType):
        try:
            option.type_cast_value(ctx, value)
        except click.BadParameter as error:
            return error.message.rstrip(".")
    return ""


def _fits(option: click.Option, value: object) -> tuple[str, bool]:
    if option.is_bool_flag:
        return "true or false", isinstance(value, bool)
    if option.count or isinstance(option.type, click.types.IntParamType):
        return "an integer", isinstance(value, int) and not isinstance(value, bool)
    if option.multiple:
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return "a list of strings", texts
    return "a string", isinstance(value, str)


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, str):
            yield item


def _shown(value: object) -> str:
    try:
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    except (ValueError, RecursionError):  # an integer of many digits, a list of lists of lists
        return "a value that is too large"
