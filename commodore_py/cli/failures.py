"""Turn what ends a run, or one of its parts, into a message and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from io import StringIO

import click

from commodore_py import __version__
from commodore_py.adapters import ending
from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError, of_system

from .exit_codes import INTERRUPTED, OUR_BUG
from .output import log, messages, streams
from .output.log import colours

_FULL = {errno.ENOSPC, errno.EDQUOT}
_NONE_LEFT = {errno.ENOMEM, errno.EAGAIN}
_NO_THREAD = "can't start new thread"


def report(error: BaseException) -> int:
    """Report an error, whatever it is, and return the exit code for it."""
    match error:
        case click.ClickException():
            return _misused(error)
        case click.Abort() | KeyboardInterrupt():  # click makes the one of the other
            streams.error_line(ending.word(), color=colours())
            return INTERRUPTED
        case CommodoreError():
            messages.error(error)
            return error.exit_code
        case BrokenPipeError():
            # The pipe's reader has closed it; Python must not flush stdout again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        case _:  # whatever is not handled here is our bug
            return _unexpected(error)


def _misused(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoSuchCommand):
        error = _with_commands(error)
    elif isinstance(error, click.NoSuchOption) and error.ctx is not None:
        root = error.ctx.find_root().command
        if any(error.option_name in param.opts for param in root.params):
            text = f"{error.message} It is a global option, which precedes the command."
            error = click.UsageError(text, error.ctx)
    if isinstance(error, click.UsageError) and log.form() != "text":
        hint = f"see {error.ctx.command_path} --help" if error.ctx else ""
        messages.error_with(error.format_message(), hint=hint)
    else:
        text_of_usage = StringIO()
        error.show(text_of_usage)
        streams.error_line(streams.shown(text_of_usage.getvalue(), message=True), nl=False)
    return error.exit_code


def _with_commands(error: click.exceptions.NoSuchCommand) -> click.UsageError:
    """The error, with similar commands of the group, and those of that name in other groups.

    click suggests only commands that are imported.
    """
    ctx, name = error.ctx, error.command_name
    if ctx is None or not isinstance(ctx.command, click.Group):
        return error
    root = ctx.find_root().command
    assert isinstance(root, click.Group)  # noqa: S101 - the type of `commodore`
    groups = {word: root.get_command(ctx, word) for word in root.list_commands(ctx)}
    elsewhere = [
        f"{word} {name}"
        for word, group in groups.items()
        if isinstance(group, click.Group) and name in group.list_commands(ctx)
    ]
    if elsewhere:
        return click.UsageError(f"{error.message} Did you mean {' or '.join(elsewhere)}?", ctx)
    return click.exceptions.NoSuchCommand(
        name, possibilities=ctx.command.list_commands(ctx), ctx=ctx
    )


def _unexpected(error: BaseException) -> int:
    """Report what no message was written for: the limits of the machine, and our bugs."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return _disk_full(error)
    if _is_exhausted(error):
        messages.error_with(
            f"a limit of this machine is reached: {type(error).__name__}: {error}",
            where=log_of(error),
            hint="give it more memory, or use --processes 1; content may be nested too deeply",
        )
        return 1
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        # Paths that the system refuses are not bugs: the error names them.
        messages.error(of_system(error))
        return CommodoreError.exit_code
    return _our_bug(error)


def _is_exhausted(error: BaseException) -> bool:
    """Return whether there is no more memory, thread or process, or no more stack of Python."""
    none_left = isinstance(error, OSError) and error.errno in _NONE_LEFT and not error.filename
    is_limit = isinstance(error, MemoryError | RecursionError)
    return none_left or is_limit or str(error) == _NO_THREAD


def _disk_full(error: OSError) -> int:
    """Report a full disk; a redirected stream has no file name."""
    where = "" if error.filename is None else os.fsdecode(error.filename)
    messages.error_with(f"cannot write: {error.strerror}", where=where, hint="free some space")
    # As above: what is still to be written cannot be written either.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _our_bug(error: BaseException) -> int:
    messages.error_with(
        f"internal error: {type(error).__name__}: {error}",
        where=log_of(error),
        hint="please report this bug with that file",
    )
    return OUR_BUG


def log_of(error: BaseException) -> str:
    """A file with the traceback of an error."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="commodore-", suffix=".log", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"commodore {__version__}, Python {sys.version}\n")
        file.write(REDACTOR.message("".join(traceback.format_exception(error))))
    return file.name
