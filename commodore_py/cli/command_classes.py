"""Our click commands: groups that import late, and options under headings."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

OURS = "+"
GENERAL = "General"
_COMMANDS = "commodore_py.cli.commands"
"""The package from which tables of groups name the modules of commands."""
_LEGEND = f"Options marked {OURS} are not in Commodore 1.35.1."
# The width at which click begins the text of an option on a line of its own.
_WIDEST = 30
_SENTENCE = 300


def _louder(ctx: click.Context, _parameter: click.Parameter, count: int) -> None:
    """Add the `-v` of a command to those before it."""
    if count and not ctx.resilient_parsing:
        ctx.obj = ctx.obj.more_verbose(count)


VERBOSE_HELP = "Increase verbosity; may be repeated."
verbose_option = click.option(
    "-v", "--verbose", count=True, expose_value=False, callback=_louder, help=VERBOSE_HELP
)


class LazyGroup(click.Group):
    """A group whose table has each command's module and one-line help; `ours` names our own.

    `sections` has the commands of each heading of the help. The group and its commands have `-v`.
    """

    adds_verbose = True

    def __init__(
        self,
        *args: Any,
        commands_at: Mapping[str, tuple[str, str]] | None = None,
        ours: str = "",
        sections: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._commands_at = dict(commands_at or {})
        self._ours = frozenset(ours.split())
        self._sections = sections
        self._add_verbose(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, imported or not."""
        return sorted({*super().list_commands(ctx), *self._commands_at})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, imported now."""
        command: click.Command | None
        if cmd_name in self._commands_at:
            module, _, name = self._commands_at[cmd_name][0].partition(":")
            command = getattr(importlib.import_module(module, _COMMANDS), name)
        else:
            command = super().get_command(ctx, cmd_name)
        if command is None:
            return None
        self._add_verbose(command)
        if cmd_name in self._ours:
            _without_variables(command.params)
            if isinstance(command, LazyGroup):
                command._ours = frozenset(command.list_commands(ctx))  # noqa: SLF001
        return command

    def _add_verbose(self, command: click.Command) -> None:
        if self.adds_verbose and all(param.name != "verbose" for param in command.params):
            verbose_option(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by the help of the table, without importing them."""
        names = self.list_commands(ctx)
        widest = max(map(len, names))
        for heading, words in (self._sections or {"Commands": " ".join(names)}).items():
            with formatter.section(heading):
                # One column for all headings: click makes one for each call.
                rows = [(name.ljust(widest), self._help_of(ctx, name)) for name in words.split()]
                formatter.write_dl(rows)

    def _help_of(self, ctx: click.Context, name: str) -> str:
        if name in self._commands_at:
            return self._commands_at[name][1]
        command = super().get_command(ctx, name)
        # The first sentence, whole: lines are wrapped.
        return command.get_short_help_str(limit=_SENTENCE) if command else ""


class Sectioned(click.Command):
    """A command whose table names the options of each heading; `+` marks our own."""

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._sections = sections
        _without_variables(
            param
            for param in self.params
            if isinstance(param, click.Option) and self.is_ours(param)
        )

    def sections(self, ctx: click.Context) -> Iterator[tuple[str, list[click.Option]]]:
        """The headings with their options; common options come last."""
        options = {
            param.name: param for param in self.get_params(ctx) if isinstance(param, click.Option)
        }
        for heading, words in self._sections.items():
            yield heading, [options.pop(word.removeprefix(OURS)) for word in words.split()]
        if options:
            yield GENERAL, list(options.values())

    def is_ours(self, option: click.Option) -> bool:
        """Return whether the table marks it."""
        return any(f"{OURS}{option.name}" in words.split() for words in self._sections.values())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in --help."""
        groups = [(heading, self._rows(ctx, of)) for heading, of in self.sections(ctx)]
        widest = min(max(len(names) for _, rows in groups for names, _ in rows), _WIDEST + 2)
        for heading, ((names, text), *rest) in groups:
            formatter.write_paragraph()
            formatter.write_heading(heading)
            # One column for all headings: click makes one for each call.
            formatter.write_dl([(names.ljust(widest), text), *rest], col_max=_WIDEST + 2)
        if any(OURS in words for words in self._sections.values()):
            formatter.write_paragraph()
            formatter.write_text(_LEGEND)

    def _rows(self, ctx: click.Context, options: list[click.Option]) -> list[tuple[str, str]]:
        rows = []
        for option in options:
            record = option.get_help_record(ctx)
            if record is not None:
                mark = OURS if self.is_ours(option) else " "
                rows.append((f"{mark} {record[0]}", record[1]))
        return rows


def _without_variables(params: Iterable[click.Parameter]) -> None:
    """Take the automatic variables of options: only those of Commodore have them."""
    for param in params:
        if isinstance(param, click.Option):
            param.allow_from_autoenv = False
