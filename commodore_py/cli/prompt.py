"""Questions to the user."""

from __future__ import annotations

import sys

import click

from commodore_py.errors import CommodoreError


class Unanswered(CommodoreError):
    """A question was asked where nobody can answer."""


def confirm(question: str, *, undone: str, in_advance: str) -> bool:
    """A yes or no, no by default; without a stdin to answer from, the run ends."""
    while True:
        click.echo(f"{question} [y/N]: ", nl=False, err=True)
        # click's own prompt takes Ctrl-C and the end of stdin for the same thing.
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            click.echo(err=True)
            raise Unanswered(
                f"Aborted! nobody answered, so {undone}", hint=f"to answer in advance: {in_advance}"
            )
        match line.strip().lower():
            case "y" | "yes":
                return True
            case "n" | "no" | "":
                return False
        click.echo("Error: invalid input", err=True)
