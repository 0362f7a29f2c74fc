"""The page of commands, from their help: `python -m tests.house.command_reference` writes it."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli.command_classes import GENERAL, Sectioned
from commodore_py.cli.root import commodore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands.md"

_HEAD = """\
<!-- Made from the commands' help by `python -m tests.house.command_reference`: edit that. -->

# Commands

Every command with its options, generated from `--help`. Environment, settings file, streams and
exit codes are on [the page about the command line](cli.md). `-h`, `--help` and `-v`, `--verbose`
are not repeated for each command.
"""
_COMMON = {"help", "verbose"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and the words that lead to it."""

    path: str
    click: click.Command


def commands() -> Iterator[Command]:
    """The command itself and everything below it."""
    yield from _below("commodore", commodore)


def page() -> str:
    """The page as Markdown."""
    return "\n".join((_HEAD, *(line for command in commands() for line in _section(command))))


def _below(path: str, command: click.Command) -> Iterator[Command]:
    yield Command(path, command)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _below(f"{path} {name}", child)


def _section(command: Command) -> Iterator[str]:
    yield f"## `{command.path}`\n"
    arguments = [p for p in command.click.params if isinstance(p, click.Argument)]
    if arguments:
        context = click.Context(command.click)
        pieces = [p for argument in arguments for p in argument.get_usage_pieces(context)]
        yield f"`{command.path} {' '.join(pieces)}`\n"
    yield from _text(inspect.cleandoc(command.click.help or ""))
    if isinstance(command.click, Sectioned):
        # A command keeps the first help option that it creates: create the right one.
        context = click.Context(command.click, help_option_names=["-h", "--help"])
        for heading, options in command.click.sections(context):
            if heading != GENERAL:
                yield f"{heading}:\n"
                yield from _table(options)
        return
    options = [
        p for p in command.click.params if isinstance(p, click.Option) and p.name not in _COMMON
    ]
    if options:
        yield from _table(options)


def _text(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        if lines and lines[0].strip() == "\b":
            # click leaves such a paragraph as it is: an example.
            yield "```text\n" + textwrap.dedent("\n".join(lines[1:])) + "\n```\n"
        elif paragraph.strip():
            yield _escaped(" ".join(line.strip() for line in lines)) + "\n"


def _table(options: Iterable[click.Option]) -> Iterator[str]:
    yield "| option | variable | default | does |"
    yield "|---|---|---|---|"
    yield from (_row(option) for option in options)
    yield ""


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in option.opts)
    if option.secondary_opts:
        names += " / " + ", ".join(f"`{name}`" for name in option.secondary_opts)
    metavar = option.make_metavar(click.Context(click.Command("any")))
    if not option.is_flag and not option.count:
        names += f" `{metavar}`"
    given = [option.envvar] if isinstance(option.envvar, str) else (option.envvar or [])
    variables = ", ".join(f"`{name}`" for name in given)
    # A `|` in backticks does not end a cell.
    text = _escaped(option.help or "")
    return f"| {names} | {variables} | {_default(option)} | {text.strip()} |"


def _default(option: click.Option) -> str:
    default = option.default
    if option.is_flag and option.secondary_opts and isinstance(default, bool):
        chosen = option.opts[0] if default else option.secondary_opts[-1]
        return f"`{chosen}`"
    if (
        isinstance(default, (bool, list, tuple))
        or callable(default)
        or not isinstance(default, (str, int, float, Path))
    ):
        return ""
    return f"`{default}`" if str(default) else ""


def _escaped(text: str) -> str:
    return re.sub(r"([|<>*_\[\]])", r"\\\1", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
