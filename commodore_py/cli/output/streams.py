"""The way out: everything on stdout and stderr is masked and escaped here."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

import click

from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR

if TYPE_CHECKING:
    from collections.abc import Iterable

# Begins our own colours until they are printed. Foreign text cannot contain it.
_MARK = f"\x1b{os.urandom(6).hex()}"
_OURS = rf"{_MARK}[\d;]*m"
_START = "\x1b["
_GONE = frozenset({errno.EPIPE, errno.EIO, errno.EBADF})


def styled(text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
    """Text with our own colour, for `result` and the log."""
    return click.style(text, fg=fg, bold=bold).replace(_START, _MARK) if fg or bold else text


def unstyled(text: str) -> str:
    """Remove our colours from it."""
    return re.sub(_OURS, "", text) if _MARK in text else text


def shown(text: str, *, message: bool = False) -> str:
    """Text that may be printed, with our own colours."""
    text = REDACTOR.message(text) if message else REDACTOR.masked(text)
    if _MARK not in text:
        return escaping.lines(text)
    if escaping.is_unsafe(unstyled(text)):
        text = "\n".join(map(_shown_line, text.split("\n")))
    return text.replace(_MARK, _START)


def _shown_line(line: str) -> str:
    plain = unstyled(line)
    return escaping.lines(plain) if escaping.is_unsafe(plain) else line


def result(text: str = "", *, fg: str | None = None, bold: bool | None = None) -> None:
    """Print a result for people on stdout."""
    click.echo(shown(styled(text, fg=fg, bold=bold)))


def lines(texts: Iterable[str]) -> None:
    """Print a result line by line: no text in it adds another line, or acts on the terminal."""
    if text := "\n".join(map(_one_line, texts)):
        result(text)


def _one_line(text: str) -> str:
    """Text within a line: with our colours, unless something has to be escaped."""
    plain = unstyled(text)
    safe = escaping.one_line(plain)
    return text if safe == plain else safe


def data(text: str) -> None:
    """Print a result for programs on stdout: `formats` has masked and escaped it."""
    click.echo(text)


def secret(text: str) -> None:
    """Print a token that was requested, and nothing else."""
    click.echo(text)


def error_line(text: str = "", *, nl: bool = True, color: bool | None = None) -> None:
    """Print on stderr; a run continues without a stderr."""
    try:
        click.echo(text, err=True, nl=nl, color=color)
    except OSError as error:
        if error.errno not in _GONE:
            raise
