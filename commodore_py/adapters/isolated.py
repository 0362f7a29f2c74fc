"""Call functions in a Python process of their own, for libraries that may take theirs down."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from commodore_py import run_log
from commodore_py.errors import CommodoreError

from .child_environment import child_environment
from .process import ENDLESS, ProgramFailed, run

_HERE = "commodore_py.adapters.isolated"


class Crashed(CommodoreError):
    """The other process ended without an answer; its last words are the message."""


def call(function: str, *arguments: object, forward: bool = False) -> Any:  # noqa: ANN401 - whatever the function returns
    """Call `package.module:function` with picklable arguments and return its result.

    What the function prints is dropped unless `forward`; a `CommodoreError` comes back as itself.
    """
    with tempfile.TemporaryDirectory(prefix="commodore-") as scratch:
        answer = Path(scratch) / "answer"
        # -P: a stray `yaml.py` in the user's folder must not be imported in place of ours.
        command = [sys.executable, "-P", "-m", _HERE, function, str(answer)]
        try:
            stdin = pickle.dumps(arguments)
            run(
                command,
                only_env=child_environment(),
                stdin=stdin,
                forward=forward,
                patience=ENDLESS,
            )
        except ProgramFailed as error:
            raise Crashed(
                f"{function.partition(':')[0]} crashed: {_last_words(error.stderr)}",
                where=f"process status {error.code}",
            ) from error
        kind, value = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own child
    if kind == "error":
        raise value
    return value


class Session:
    """One other process for several calls: what a library loads there is loaded once.

    It starts with the first call and ends with `close`, or with us.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def call(self, function: str, *arguments: object) -> Any:  # noqa: ANN401 - whatever the function returns
        """Call `package.module:function` there and return its result."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            with run_log.detail("program", f"python {function.rpartition(':')[2]}", function):
                pickle.dump((function, arguments), process.stdin)
                process.stdin.flush()
                kind, value = pickle.load(process.stdout)  # noqa: S301 - written by our own child
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            code = process.wait()
            words = self._words()
            self.close()
            raise Crashed(
                f"{function.partition(':')[0]} crashed: {_last_words(words)}",
                where=f"process status {code}",
            ) from error
        if kind == "error":
            raise value
        return value

    def close(self) -> None:
        """End the other process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._said is not None:
            self._said.close()
            self._said = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", _HERE, "--serve"],
                env=child_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        return self._process

    def _words(self) -> str:
        if self._said is None:
            return ""
        self._said.seek(0)
        return self._said.read().decode(errors="replace")


def _last_words(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "it printed no reason"


def _answer() -> None:
    function, answer = sys.argv[1:]
    arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
    module, _, name = function.partition(":")
    try:
        result = ("result", getattr(importlib.import_module(module), name)(*arguments))
    except CommodoreError as error:
        result = ("error", error)
    Path(answer).write_bytes(pickle.dumps(result))


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    # What libraries print must not get between the answers.
    os.dup2(2, 1)
    while True:
        try:
            function, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
        except EOFError:
            return
        module, _, name = function.partition(":")
        try:
            result = ("result", getattr(importlib.import_module(module), name)(*arguments))
        except CommodoreError as error:
            result = ("error", error)
        pickle.dump(result, answers)
        answers.flush()


if __name__ == "__main__":
    _serve() if sys.argv[1:] == ["--serve"] else _answer()
