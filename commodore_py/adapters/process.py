"""Run programs: one function, one error with command, code and stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import PurePath
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.errors import CommodoreError

from . import escaping
from .child_environment import OUR_SECRETS
from .masking import REDACTOR, shown_command

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path


_WITH_VALUE = ("-c", "-C")  # before Git's own verb


class ProgramFailed(CommodoreError):
    """A program could not be started, or ended with an error."""

    code: int = 0
    stderr: str = ""


class TookTooLong(ProgramFailed):
    """A program was ended because its time was over."""


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    only_env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    keep_open: Collection[int] = (),
    stdin: bytes | None = None,
    forward: bool = False,
    merge_stderr: bool = False,
) -> bytes:
    """Run a program to its end and return what it printed.

    `env` adds to our own environment, which is passed without our tokens; None takes a variable
    out of it. `only_env` is used instead of both. The files in `keep_open` stay open for as long
    as it lives. With `forward`, what it prints on stderr is also shown; with `merge_stderr`, it is
    part of the result.
    """
    try:
        with _watched(command, cwd):
            done = subprocess.run(
                command,
                cwd=cwd,
                env=only_env if only_env is not None else _environment(env or {}),
                timeout=timeout,
                pass_fds=tuple(keep_open),
                input=stdin if stdin is not None else b"",
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
                check=False,
            )
    except FileNotFoundError as error:
        missing = cwd if cwd is not None and not cwd.is_dir() else command[0]
        raise ProgramFailed(
            f"cannot run {command[0]}: {missing} not found",
            hint=f"install {command[0]}, or correct PATH" if missing == command[0] else "",
        ) from error
    except subprocess.TimeoutExpired as error:
        line = shown_command(command)
        raise TookTooLong(
            f"{command[0]} was ended after {timeout:g} seconds without a result", where=line
        ) from error
    except OSError as error:
        raise ProgramFailed(f"cannot run {command[0]}: {error.strerror}") from error
    if forward and done.stderr:
        sys.stderr.write(escaping.lines(REDACTOR.message(done.stderr.decode(errors="replace"))))
        sys.stderr.flush()
    if done.returncode:
        output = done.stderr or done.stdout
        raise _failed(command, cwd, done.returncode, output.decode(errors="replace"))
    return done.stdout


def _watched(command: Sequence[str], cwd: Path | None) -> AbstractContextManager[None]:
    if not run_log.deep():
        return nullcontext()
    words = iter(command)
    program = PurePath(next(words)).name
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            program = f"{program} {PurePath(word).name}"
            break
    line = shown_command(command)
    return run_log.detail("program", program, f"{cwd}: {line}" if cwd else line)


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    merged = {**os.environ, **dict.fromkeys(OUR_SECRETS), **changes}
    return {name: value for name, value in merged.items() if value is not None}


def _failed(command: Sequence[str], cwd: Path | None, code: int, stderr: str) -> ProgramFailed:
    # Commands and their output contain remote URLs, which may contain a password.
    output, line = REDACTOR.message(stderr), shown_command(command)
    error = ProgramFailed(
        f"{command[0]} failed with status {code}: {output.strip() or 'it printed no reason'}",
        where=f"{cwd}: {line}" if cwd else line,
    )
    error.code, error.stderr = code, output
    return error
