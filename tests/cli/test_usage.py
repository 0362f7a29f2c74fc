"""How the command is called, and its errors for invalid arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from commodore_py import __version__
from commodore_py.cli.root import commodore as root
from tests.support.tables import each

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine


def test_help_lists_each_command_under_one_heading(commodore: CommandLine) -> None:
    rows = [line.split()[0] for line in commodore("--help").out.splitlines() if line[:2] == "  "]

    for name in root.list_commands(click.Context(root)):
        assert rows.count(name) == 1, name


@each("group", ["cache", "catalog", "component", "edit", "lock", "package"])
def test_lists_of_commands_have_whole_sentences(commodore: CommandLine, group: str) -> None:
    ran = commodore(group, "--help")

    listed = ran.out.partition("\nCommands:")[2]
    assert listed
    assert "..." not in listed


def test_version_is_one_line(commodore: CommandLine) -> None:
    ran = commodore("--version", COMMODORE_VERSION="v1-of-some-image")

    assert (ran.code, ran.out, ran.err) == (0, f"commodore, version {__version__}\n", "")
