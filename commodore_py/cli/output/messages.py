"""Messages on stderr: progress, warnings, notices, errors, and the one prompt."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of

from . import streams
from .log import NOTICE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.problem import Problem

_LOG = logging.getLogger("commodore_py.cli")


def heading(text: str) -> None:
    """A new part of the run begins."""
    _LOG.info(text, extra={"kind": "heading"})


def info(text: str) -> None:
    """Something was done, or is still to do."""
    _LOG.info(text)


def announce(text: str) -> None:
    """Print what decides the result, even with --quiet."""
    _LOG.log(NOTICE, text)


def plain(text: str) -> None:
    """Text that has its own form: a diff, a message."""
    _LOG.info(text, extra={"kind": "plain"})


def warn(text: str, *, where: str = "", hint: str = "") -> None:
    """A problem that does not stop the run."""
    _LOG.warning(text, extra={"where": where, "hint": hint})


def warn_or_fail(text: str, *, strict: bool, where: str = "", hint: str = "") -> None:
    """A problem that Commodore accepts: a warning, or an error in a strict run."""
    if strict:
        raise CommodoreError(text, where=where, hint=hint)
    warn(text, where=where, hint=hint)


def notices(problems: Iterable[Problem]) -> None:
    """Notices that are shown at the end of a run."""
    shown = tuple(problems)
    if shown:
        heading("\nCommodore notices:")
    for notice in shown:
        _LOG.log(NOTICE, notice.message, extra={"kind": "notice", "where": notice.where})


def error(problem: CommodoreError, *, gap: bool = False) -> None:
    """An error and the errors that it consists of."""
    for part in problem.errors if isinstance(problem, SeveralErrors) else ():
        error(part, gap=True)
    error_with(
        str(problem), where=problem.where, notes=notes_of(problem), hint=problem.hint, gap=gap
    )


def error_with(
    text: str,
    *,
    where: str = "",
    notes: Iterable[str] = (),
    hint: str = "",
    gap: bool = False,
) -> None:
    """An error: what, where, context, and what to do."""
    more = {"where": where, "notes": "\n".join(notes), "hint": hint, "gap": "gap" if gap else ""}
    _LOG.error(text, extra=more)


def ask(question: str, *, undone: str = "nothing was done", in_advance: str = "see --help") -> str:
    """Ask for a line of text; fails if stdin is closed."""
    streams.error_line(f"{streams.shown(question)}: ", nl=False)
    # click's own prompt cannot distinguish Ctrl-C from the end of stdin.
    line = sys.stdin.readline() if sys.stdin else ""
    if not line:
        streams.error_line()
        raise CommodoreError(
            f"Aborted! no answer was given, so {undone}",
            hint=f"to answer without a prompt: {in_advance}",
        )
    return line.strip()


def confirm(question: str, *, undone: str, in_advance: str) -> bool:
    """Ask yes or no, no by default; fails if stdin is closed."""
    while True:
        answer = ask(f"{question} [y/N]", undone=undone, in_advance=in_advance)
        match answer.lower():
            case "y" | "yes":
                return True
            case "n" | "no" | "":
                return False
        streams.error_line("Error: invalid input")
