"""Run the command line: settings and words in, an exit code out."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.errors import CommodoreError

from .failures import report
from .output import log, messages, progress
from .root import commodore
from .settings import directories, dotenv_file

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUICK = {"-h", "--help", "--version"}
_COMPLETE = "_COMMODORE_COMPLETE"
_INSTRUCTIONS = frozenset(
    f"{shell}_{what}" for shell in ("bash", "zsh", "fish") for what in ("source", "complete")
)


def run(arguments: Sequence[str]) -> int:
    """Run the command line once and return its exit code."""
    log.set_up()
    if os.environ.get(_COMPLETE):
        return _complete()
    try:
        with nullcontext() if _QUICK & set(arguments) else progress.shown():
            return _run(arguments)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - each is reported
        return report(error)


def _run(arguments: Sequence[str]) -> int:
    # In this order: `.env` must not change where tools are found.
    _prefer_managed_tools()
    result = commodore.main(
        args=list(arguments),
        prog_name="commodore",
        auto_envvar_prefix="COMMODORE",
        standalone_mode=False,
        obj=dotenv_file.load(_current_folder()),
    )
    return result if isinstance(result, int) else 0


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise CommodoreError(
            "the current directory does not exist any more", hint="change to another directory"
        ) from error


def _complete() -> int:
    """Complete a word for a shell, or print its setup; failures are silent."""
    import logging

    instruction = os.environ[_COMPLETE]
    if instruction not in _INSTRUCTIONS:
        messages.error_with(
            f"{_COMPLETE} is {instruction!r}", hint=f"one of {', '.join(sorted(_INSTRUCTIONS))}"
        )
        return click.UsageError.exit_code
    logging.disable()
    try:
        return _run(())
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 1
    except BaseException:  # noqa: BLE001 - messages would disturb the user's input
        return 1
    finally:
        logging.disable(logging.NOTSET)


def _prefer_managed_tools() -> None:
    """Put the tools of `tool install` before those of the system, if they are the user's own."""
    folder = directories.tools_folder()
    if folder is None:
        return
    others = [part for part in os.environ.get("PATH", "").split(os.pathsep) if part != str(folder)]
    if stranger := directories.not_own(folder):
        messages.warn(
            "managed tools are not used: they can be changed by another user",
            where=str(stranger),
            hint=f"remove {folder}, then install them again: commodore tool install --missing",
        )
        os.environ["PATH"] = os.pathsep.join(others)
    elif len(others) == len(os.environ.get("PATH", "").split(os.pathsep)):
        os.environ["PATH"] = os.pathsep.join((str(folder), *others))
