"""Run programs: one function, one error with command, code and stderr."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from . import ending, escaping, time_limits
from .child_environment import OUR_SECRETS
from .masking import REDACTOR, shown_command

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO

_TICK = 0.25


class ProgramFailed(CommodoreError):
    """A program could not be started, or ended with an error."""

    code: int = 0
    stderr: str = ""
    stdout: str = ""


class TookTooLong(ProgramFailed):
    """A program was ended because its time was over."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a program may take, in seconds; 0 stands for as long as it likes."""

    overall: float = 0
    setting: str = ""
    """The name of this limit."""
    after_exit: float = 5.0
    """How long others may hold its output open, once it has ended."""
    output: int = 1 << 30
    """How many bytes it may print."""


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    only_env: Mapping[str, str] | None = None,
    called: str = "",
    patience: Patience | None = None,
    keep_open: Collection[int] = (),
    stdin: bytes | None = None,
    forward: bool = False,
    merge_stderr: bool = False,
) -> bytes:
    """Run a program to its end and return what it printed.

    `env` adds to our own environment, which is passed without our tokens; None takes a variable
    out of it. `only_env` is used instead of both. `called` is its name in messages. The files in
    `keep_open` stay open for as long as it lives. With `forward`, what it prints on stderr is also
    shown; with `merge_stderr`, it is part of the result.
    """
    if threading.current_thread() is not threading.main_thread():
        ending.pause(0)
    name = called or shown_command(command)
    patience = patience or Patience(time_limits.current().program, "program")
    try:
        with _input(stdin or b"") as given:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=only_env if only_env is not None else _environment(env or {}),
                pass_fds=tuple(keep_open),
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
            )
            try:
                output, errors = communicate(process, lambda: name, patience)
            finally:
                _close(process)
    except TookTooLong as error:
        problem = f"{called or command[0]} was ended {error}"
        raise TookTooLong(problem, where=shown_command(command), hint=error.hint) from error
    except FileNotFoundError as error:
        missing = cwd if cwd is not None and not cwd.is_dir() else command[0]
        raise ProgramFailed(
            f"cannot run {command[0]}: {missing} not found",
            hint=f"install {command[0]}, or correct PATH" if missing == command[0] else "",
        ) from error
    except OSError as error:
        raise ProgramFailed(f"cannot run {command[0]}: {error.strerror}") from error
    except ValueError as error:
        raise ProgramFailed(f"cannot run {command[0]}: {error}") from error
    if forward and errors:
        sys.stderr.write(escaping.lines(REDACTOR.message(errors.decode(errors="replace"))))
        sys.stderr.flush()
    if process.returncode:
        message = errors or output
        failure = _failed(command, cwd, process.returncode, message.decode(errors="replace"))
        failure.stdout = REDACTOR.message(output.decode(errors="replace"))
        raise failure
    return output


def communicate(
    process: subprocess.Popen[bytes], called: Callable[[], str], patience: Patience
) -> tuple[bytes, bytes]:
    """The stdout and stderr of a program, once it has ended; a limit it exceeds is an error."""
    clock, ended_at = time_limits.Clock(called), 0.0
    overall, setting = patience.overall, patience.setting
    while True:
        try:
            return process.communicate(timeout=_TICK)
        except subprocess.TimeoutExpired as running:
            output, errors = running.stdout or b"", running.stderr or b""
        passed = clock.passed()
        if len(output) + len(errors) > patience.output:
            raise TookTooLong(f"as it printed more than {patience.output} bytes")
        if overall and passed > overall:
            hint = time_limits.hint(setting, overall)
            # In the message, as hints are replaced by those who know more about a program.
            see = f" (setting time-limits.{setting})" if hint else ""
            raise TookTooLong(f"after {overall:g} seconds without a result{see}", hint=hint)
        if process.poll() is not None:
            # Another process may hold its output open for ever. What it printed itself may
            # have come after the last look at the pipes: it is read once more.
            if ended_at and passed - ended_at >= patience.after_exit:
                return output, errors
            ended_at = ended_at or passed


@contextmanager
def _input(content: bytes) -> Iterator[IO[bytes] | int]:
    """The standard input of a program, as a file: it may read it late, or never."""
    if not content:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file


def _close(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind: neither a program nor its pipes."""
    if process.poll() is None:
        ending.end_all(process.pid, itself=True)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    merged = {**os.environ, **dict.fromkeys(OUR_SECRETS), **changes}
    return {name: value for name, value in merged.items() if value is not None}


def _failed(command: Sequence[str], cwd: Path | None, code: int, stderr: str) -> ProgramFailed:
    # ssh ends its lines as terminals do, and Git's advice is about commands the user did not run.
    lines = stderr.replace("\r\n", "\n").split("\n")
    text = "\n".join(line for line in lines if command[0] != "git" or not line.startswith("hint:"))
    # Commands and their output contain remote URLs, which may contain a password.
    output, line = REDACTOR.message(text), shown_command(command)
    error = ProgramFailed(
        f"{command[0]} failed with status {code}: {output.strip() or 'it printed no reason'}",
        where=f"{cwd}: {line}" if cwd else line,
    )
    error.code, error.stderr = code, output
    return error
