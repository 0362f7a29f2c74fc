"""The user's settings file: options by their names, checked against the command tree."""

from __future__ import annotations

import os
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from commodore_py.adapters.reading import text_of
from commodore_py.adapters.time_limits import TimeLimits
from commodore_py.errors import CommodoreError, raise_collected

from . import directories
from .types import size_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

_META = "commodore_py.cli.settings.user_file"
# Compiled when they are used: every command imports this.
_HEADER = r"\s*\[{1,2}([^\[\]]+)\]"
_LONG_STRING = r'''"""(?:[^\\]|\\.)*?"""|\'{3}.*?\'{3}'''
_KEY = r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""

_BITS = 64
_MOST_PARTS = 20
# More would be more than three years, and not every clock counts that far.
_MOST_SECONDS = 100_000_000

_MANY_PARTS = r"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){200}"
SHARED = ("api-url", "api-token", "oidc-client", "oidc-discovery-url", "github-token", "strict")
"""Options of several commands that may stand at the top, for all of these."""
GLOBAL = ("cache-size", "github-url", "oidc-listen", "time-limits")
"""Settings that have no option."""
_ALL = "config"

Place = tuple[str, ...]


class UserFile(NamedTuple):
    """Defaults as click takes them, and the line of each."""

    path: Path | None
    defaults: dict[str, Any]
    lines: Mapping[Place, int]
    shared: Mapping[str, Any] = MappingProxyType({})
    """What stands at the top, for all commands."""


def read(ctx: click.Context, root: click.Group, words: Collection[str] = ()) -> UserFile:
    """The settings in the user's file for a command line; reports all mistakes at once."""
    path = directories.config_file()
    text = _text(path) if path else None
    if path is None or text is None:
        return UserFile(None, {}, {})

    import tomllib

    # The parser's memory grows with the square of them.
    if many := re.search(_MANY_PARTS, text):
        where = f"{path}:{text.count(chr(10), 0, many.start()) + 1}"
        raise CommodoreError("a key has too many parts", where=where)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        where = f"{path}:{line[1] if line else text.count(chr(10)) + 1}"
        raise CommodoreError(f"not valid TOML: {error}", where=where) from error
    except RecursionError as error:
        where = f"{path}:{_most_brackets(text)}"
        raise CommodoreError("nested too deeply", where=where) from error
    except ValueError as error:  # Python does not make integers of more digits
        where = f"{path}:{_longest_number(text)}"
        raise CommodoreError("an integer has too many digits", where=where) from error
    reader = _Reader(path, _line_numbers(text))
    defaults = reader.section(ctx, root, content, ())
    shared = {key: content[key] for key in SHARED if key in content}
    if shared:
        reader.share(shared, ctx, root, defaults, () if _ALL in words else words)
    settings = {key: content[key] for key in GLOBAL if key in content}
    reader.check_global(settings)
    raise_collected(reader.problems, f"settings in {path}")
    return UserFile(path, defaults, reader.places, {**shared, **settings})


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


_LARGEST = 1 << 20


def _text(path: Path) -> str | None:
    try:
        return text_of(str(path), limit=_LARGEST).replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        where = f"{path}:{error.object.count(10, 0, error.start) + 1}"
        raise CommodoreError("the settings file is not valid UTF-8", where=where) from error
    except OSError as error:
        raise CommodoreError(
            f"cannot read the settings file: {error.strerror}", where=str(path)
        ) from error


class _Reader:
    """Checks a file against the command tree and collects what is wrong."""

    def __init__(self, path: Path, numbers: Mapping[Place, int]) -> None:
        self._path = path
        self._numbers = numbers
        self.problems: list[CommodoreError] = []
        self.places: dict[Place, int] = {}

    def section(
        self, ctx: click.Context, command: click.Command, table: Mapping[str, Any], at: Place
    ) -> dict[str, Any]:
        """One command's options and, for a group, the sections of its commands."""
        options = {key_of(option): option for option in _options_of(command)}
        commands = command.list_commands(ctx) if isinstance(command, click.Group) else []
        found: dict[str, Any] = {}
        for key, value in table.items():
            here = (*at, key)
            if not at and key in GLOBAL:
                self.places[here] = self._numbers.get(here, 0)
            elif isinstance(value, dict):
                inner = command.get_command(ctx, key) if isinstance(command, click.Group) else None
                if inner is None:
                    self._unknown("section", here, commands)
                else:
                    found[key] = self.section(ctx, inner, value, here)
            elif key not in options:
                if at or key not in SHARED:
                    known = options if at else (*options, *SHARED, *GLOBAL)
                    self._unknown("setting", here, known, _owners(ctx, command, key))
            else:
                problem = _problem(options[key], value, ctx)
                if problem:
                    self._reject(here, f"{'.'.join(here)}: {problem}")
                name = str(options[key].name)
                found[name] = value
                self.places[(*at, name)] = self._numbers.get(here, 0)
        return found

    def share(
        self,
        shared: Mapping[str, Any],
        ctx: click.Context,
        group: click.Group,
        found: dict[str, Any],
        words: Collection[str],
        at: Place = (),
    ) -> None:
        """Add what holds for all commands to the sections of these, or of all without any."""
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name) if not words or name in words else None
            if command is None:
                continue
            section = found.get(name, {})
            for option in _options_of(command):
                key, place = key_of(option), (*at, name, str(option.name))
                if key in shared and place[-1] not in section:
                    problem = _problem(option, shared[key], ctx)
                    if problem:
                        self._reject((key,), f"{key}: {problem}")
                    section[place[-1]] = shared[key]
                    self.places[place] = self._numbers.get((key,), 0)
            if isinstance(command, click.Group):
                self.share(shared, ctx, command, section, words, (*at, name))
            if section:
                found[name] = section

    def check_global(self, settings: Mapping[str, Any]) -> None:
        """Check the settings that have no option."""
        for key, value in settings.items():
            problem = _problem_of_global(key, value)
            if problem:
                self._reject((key,), f"{key}: {problem}")

    def _unknown(
        self, what: str, here: Place, known: Iterable[str], owners: Iterable[str] = ()
    ) -> None:
        from difflib import get_close_matches

        near = get_close_matches(here[-1], list(known), n=1)
        above = f"[{'.'.join(here[:-1])}]" if here[:-1] else "the top level"
        hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(sorted(known))}"
        sections = [f"[{'.'.join((*here[:-1], owner))}]" for owner in owners]
        if sections:
            hint = f"it is an option of a command: put it into section {' or '.join(sections)}"
        self._reject(here, f"unknown {what} {here[-1]} in {above}", hint)

    def _reject(self, here: Place, problem: str, hint: str = "") -> None:
        # What is written inline is on the line of the table around it, or on a later one.
        around = (here[:length] for length in range(len(here), 0, -1))
        number = next((self._numbers[one] for one in around if one in self._numbers), 1)
        where = f"{self._path}:{number}"
        self.problems.append(CommodoreError(problem, where=where, hint=hint))


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
                if any(key_of(option) == key for option in _options_of(inner)):
                    yield name
                yield from (f"{name}.{one}" for one in _owners(ctx, inner, key))


def _options_of(command: click.Command) -> Iterator[click.Option]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.expose_value:
            yield parameter


def _problem(option: click.Option, value: object, ctx: click.Context) -> str:
    wanted, fits = _fits(option, value)
    if isinstance(value, int) and value.bit_length() > _BITS:
        return "an integer has at most 64 bits"
    if any("\0" in text for text in _texts(value)):
        return "it contains a null character"
    if not fits:
        return f"expected {wanted}, not {_shown(value)}"
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
    for one in value if isinstance(value, list) else (value,):
        if isinstance(one, str):
            yield one


def _shown(value: object) -> str:
    try:
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    except (ValueError, RecursionError):  # an integer of many digits, a list of lists of lists
        return "a value that is too large"


def _line_numbers(text: str) -> dict[Place, int]:
    """The line of every section and key, which `tomllib` does not provide."""
    section: Place = ()
    found: dict[Place, int] = {}
    for number, line in enumerate(_without_long_strings(text).splitlines(), 1):
        header = re.match(_HEADER, line)
        key = re.match(_KEY, line)
        if header:
            section = _parts(header[1])
            found.setdefault(section, number)
        elif key:
            found.setdefault((*section, *_parts(key[1])), number)
    # A table without a header of its own is where its first key is.
    for place, number in tuple(found.items()):
        for length in range(1, min(len(place), _MOST_PARTS)):
            found.setdefault(place[:length], number)
    return found


def _without_long_strings(text: str) -> str:
    """The same lines, without what is in strings of several lines."""
    return re.sub(_LONG_STRING, lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def _most_brackets(text: str) -> int:
    """The line with the most brackets."""
    lines = [line.count("[") + line.count("{") for line in text.splitlines()]
    return lines.index(max(lines)) + 1


def _longest_number(text: str) -> int:
    """The line with the most digits in a row."""
    lines = [max(map(len, re.findall("[0-9_]+", line)), default=0) for line in text.splitlines()]
    return lines.index(max(lines)) + 1


def _parts(name: str) -> Place:
    return tuple(part.strip().strip("\"'") for part in name.split("."))
