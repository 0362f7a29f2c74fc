"""Progress and warnings, as lines on stderr."""

from __future__ import annotations

import logging

import click

from .colour import colours

_HEADINGS = "commodore_py.pipeline"


class _Lines(logging.Handler):
    """Headings in bold, warnings in yellow, everything else as it is."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            text = click.style(f"warning: {text}", fg="yellow")
        elif record.name == _HEADINGS:
            text = click.style(text, bold=True)
        else:
            text = f" > {text}"
        click.echo(text, err=True, color=colours())


def set_up(verbosity: int) -> None:
    """Show headings and warnings; details from `-v` on, everything from `-vvv` on."""
    ours = logging.getLogger("commodore_py")
    ours.handlers = [_Lines()]
    ours.propagate = False
    ours.setLevel(_level(verbosity))
    logging.getLogger(_HEADINGS).setLevel(min(logging.INFO, _level(verbosity)))


def _level(verbosity: int) -> int:
    if verbosity >= 3:  # noqa: PLR2004 - the third -v
        return logging.DEBUG
    return logging.INFO if verbosity else logging.WARNING
