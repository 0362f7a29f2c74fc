"""What commands tell the user beside their result: progress, warnings, notices, failures."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import click

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.warning import FROM_EVERY_RUN

from .log import NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.problem import Problem

_LOG = logging.getLogger("commodore_py.cli")


def heading(text: str) -> None:
    """A new part of the work begins."""
    _LOG.info(text, extra={"kind": "heading"})


def step(text: str) -> None:
    """Something was done, or is left to do."""
    _LOG.info(text)


def plain(text: str) -> None:
    """Text that has its own form: a diff, a message."""
    _LOG.info(text, extra={"kind": "plain"})


def told(text: str) -> None:
    """What was asked for, and is told even if progress is not."""
    _LOG.log(NOTICE, text, extra={"kind": "plain"})


def warn(text: str, *, where: str = "", hint: str = "") -> None:
    """Something is not as the user may think; the work goes on."""
    _LOG.warning(text, extra={**FROM_EVERY_RUN, "where": where, "hint": hint})


def doubt(text: str, *, strict: bool, where: str = "", hint: str = "") -> None:
    """What Commodore accepts and we would rather not: a warning, or the end of a strict run."""
    if strict:
        raise CommodoreError(text, where=where, hint=hint)
    warn(text, where=where, hint=hint)


def notices(found: Iterable[Problem]) -> None:
    """What must be seen at the end of a run."""
    told = tuple(found)
    if told:
        heading("\nCommodore notices:")
    for notice in told:
        _LOG.log(NOTICE, notice.message, extra={"kind": "notice", "where": notice.where})


def fail(error: CommodoreError, *, gap: bool = False) -> None:
    """A failure, and those it is made of: what, where, on the way to what, and what to do."""
    if isinstance(error, SeveralErrors):
        for one in error.errors:
            fail(one, gap=True)
    fail_with(str(error), where=error.where, notes=notes_of(error), hint=error.hint, gap=gap)


def fail_with(
    text: str,
    *,
    where: str = "",
    notes: Iterable[str] = (),
    hint: str = "",
    gap: bool = False,
) -> None:
    """A failure in its parts."""
    more = {"where": where, "notes": "\n".join(notes), "hint": hint, "gap": "gap" if gap else ""}
    _LOG.error(text, extra=more)


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
