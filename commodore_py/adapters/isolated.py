"""Call functions in a Python process of their own, for libraries that may take theirs down."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from typing import IO, Any

from commodore_py.errors import CommodoreError

from . import escaping
from .child_environment import child_environment
from .ending import end_all
from .masking import REDACTOR

_HERE = "commodore_py.adapters.isolated"


class Crashed(CommodoreError):
    """The other process ended without an answer; its last words are the message."""


def call(function: str, *arguments: object, forward: bool = False) -> Any:  # noqa: ANN401 - whatever the function returns
    """Call `package.module:function` with picklable arguments and return its result.

    What the function prints is dropped unless `forward`; a `CommodoreError` comes back as itself.
    """
    session = Session()
    try:
        return session.call(function, *arguments)
    finally:
        if forward:
            sys.stderr.write(escaping.lines(REDACTOR.message(session.printed())))
            sys.stderr.flush()
        session.close()


class Session:
    """One other process for several calls: what a library loads there is loaded once.

    It starts with the first call and ends with `close`, or with us.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._printed: IO[bytes] | None = None

    def call(self, function: str, *arguments: object) -> Any:  # noqa: ANN401 - whatever the function returns
        """Call `package.module:function` there and return its result."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            pickle.dump((function, arguments), process.stdin)
            process.stdin.flush()
            kind, value = pickle.load(process.stdout)  # noqa: S301 - written by our own child
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            code = process.wait()
            raise Crashed(
                f"{function.partition(':')[0]} crashed: {_last_words(self.printed())}",
                where=f"process status {code}",
            ) from error
        if kind == "error":
            raise value
        return value

    def printed(self) -> str:
        """The output of functions since the process started."""
        if self._printed is None:
            return ""
        self._printed.seek(0)
        return self._printed.read().decode(errors="replace")

    def close(self) -> None:
        """End the other process, with all that it has started."""
        if self._process is not None:
            end_all(self._process.pid, itself=True)
            self._process.communicate()
            self._process = None
        if self._printed is not None:
            self._printed.close()
            self._printed = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
            self._process = subprocess.Popen(
                # -P: a stray `yaml.py` in the user's folder must not be imported in place of ours.
                [sys.executable, "-P", "-m", _HERE],
                env=child_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
            )
        return self._process


def _last_words(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "it printed no reason"


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
    _serve()
