"""Run the command line: errors become messages and exit codes in one place."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, of_system

from .exit_codes import INTERRUPTED, OUR_BUG
from .output import log, messages, streams
from .output.log import colours
from .root import commodore
from .settings import directories, dotenv_file, origins

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

_FULL = {errno.ENOSPC, errno.EDQUOT}
_QUICK = {"-h", "--help", "--version"}
_COMPLETE = "_COMMODORE_COMPLETE"
_INSTRUCTIONS = frozenset(
    f"{shell}_{what}" for shell in ("bash", "zsh", "fish") for what in ("source", "complete")
)


def run(arguments: Sequence[str]) -> int:  # noqa: PLR0911 - a line per way a run can end
    """Run the command line once and return its exit code."""
    log.set_up()
    if os.environ.get(_COMPLETE):
        return _complete()
    try:
        with _progress_of(arguments):
            return _run(arguments)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        return _misused(error)
    except click.Abort as abort:
        return _aborted(abort)
    except KeyboardInterrupt:
        return _interrupted()
    except CommodoreError as error:
        messages.error(error)
        return error.exit_code
    except BrokenPipeError:
        # The pipe's reader has closed it; Python must not flush stdout again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - whatever is not handled here is our bug
        return _unexpected(error)


def _progress_of(arguments: Sequence[str]) -> AbstractContextManager[None]:
    if _QUICK & set(arguments):
        return nullcontext()
    from .output import progress

    return progress.shown()


def _run(arguments: Sequence[str]) -> int:
    # In this order: `.env` must not change where tools are found.
    _prefer_managed_tools()
    dotenv = dotenv_file.load(_current_folder())
    words = tuple(arguments)
    while True:
        try:
            result = commodore.main(
                args=list(words),
                prog_name="commodore",
                auto_envvar_prefix="COMMODORE",
                standalone_mode=False,
                obj=origins.Start(dotenv),
            )
        except click.NoSuchOption as error:
            from .suggestions import global_option_first

            moved = global_option_first(words, error)
            if moved is None:
                raise
            words = moved
        else:
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


def _misused(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoSuchCommand):
        from .suggestions import with_suggestions

        error = with_suggestions(error)
    elif isinstance(error, click.NoSuchOption):
        from .suggestions import with_global_options

        error = with_global_options(error)
    if isinstance(error, click.UsageError) and log.form() != "text":
        hint = f"see {error.ctx.command_path} --help" if error.ctx else ""
        messages.error_with(error.format_message(), hint=hint)
    else:
        text = StringIO()
        error.show(text)
        streams.error_line(streams.shown(text.getvalue(), message=True), nl=False)
    return error.exit_code


def _aborted(abort: click.Abort) -> int:
    if isinstance(abort.__cause__, KeyboardInterrupt):
        return _interrupted()
    streams.error_line("Aborted!", color=colours())
    return 1


def _interrupted() -> int:
    from commodore_py.adapters import ending

    streams.error_line(ending.word(), color=colours())
    return INTERRUPTED


def _refused_by_system(error: OSError) -> int:
    """Paths that the system refuses are not bugs: the error names them."""
    if error.errno in _FULL:
        return _disk_full(error)
    if error.errno is None or error.filename is None:
        return _our_bug(error)
    messages.error(of_system(error))
    return CommodoreError.exit_code


def _unexpected(error: Exception) -> int:
    """Report what no message was written for: the limits of the machine, and our bugs."""
    from commodore_py.adapters.memory import out_of_memory

    if (known := out_of_memory(error)) is not None:
        messages.error(known)
        return known.exit_code
    if isinstance(error, OSError):
        return _refused_by_system(error)
    return _exhausted(error) if isinstance(error, RecursionError) else _our_bug(error)


def _disk_full(error: OSError) -> int:
    """Report a full disk; a redirected stream has no file name."""
    where = "" if error.filename is None else os.fsdecode(error.filename)
    messages.error_with(f"cannot write: {error.strerror}", where=where, hint="free some space")
    # As above: what is still to be written cannot be written either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _exhausted(error: RecursionError) -> int:
    """Report content that exceeds what Python can process, and no limit of a reader."""
    problem = "a value is nested too deeply to be processed"
    hint = "the file says where; if no content is nested that deeply, please report this bug"
    messages.error_with(problem, where=_log_of(error), hint=hint)
    return 1


def _our_bug(error: Exception) -> int:
    messages.error_with(
        f"internal error: {type(error).__name__}: {error}",
        where=_log_of(error),
        hint="please report this bug with that file",
    )
    return OUR_BUG


def _log_of(error: Exception) -> str:
    """A file with the traceback of an error."""
    import tempfile
    import traceback

    from commodore_py import __version__

    with tempfile.NamedTemporaryFile(
        "w", prefix="commodore-", suffix=".log", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"commodore {__version__}, Python {sys.version}\n")
        file.write(REDACTOR.message("".join(traceback.format_exception(error))))
    return file.name


def _prefer_managed_tools() -> None:
    """Put the tools of `tool install` before those of the system."""
    cache = directories.cache_folder()
    if cache is None:
        return
    folder = str(cache / "tools")
    path = os.environ.get("PATH", "")
    if folder not in path.split(os.pathsep):
        os.environ["PATH"] = f"{folder}{os.pathsep}{path}"
