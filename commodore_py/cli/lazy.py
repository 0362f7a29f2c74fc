"""Groups that import a command only when it is called: `--help` must not pay for Kapitan."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group whose table names each command's place and its one-line help."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - click's own
        commands_at: Mapping[str, tuple[str, str]] | None = None,
        **kwargs: Any,  # noqa: ANN401 - click's own
    ) -> None:
        super().__init__(*args, **kwargs)
        self._commands_at = dict(commands_at or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, imported or not."""
        return sorted({*super().list_commands(ctx), *self._commands_at})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, imported now."""
        if cmd_name not in self._commands_at:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._commands_at[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by the help of the table, without importing them."""
        rows = [(name, self._help_of(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _help_of(self, ctx: click.Context, name: str) -> str:
        if name in self._commands_at:
            return self._commands_at[name][1]
        command = super().get_command(ctx, name)
        return command.get_short_help_str() if command else ""
