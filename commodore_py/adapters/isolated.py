"""Call a function in a Python process of its own, for libraries that may take theirs down."""

from __future__ import annotations

import importlib
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

from commodore_py.errors import CommodoreError

from .process import ProgramFailed, run

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
            run(command, stdin=pickle.dumps(arguments), forward=forward)
        except ProgramFailed as error:
            raise Crashed(
                f"{function.partition(':')[0]} crashed: {_last_words(error.stderr)}",
                where=f"process status {error.code}",
            ) from error
        kind, value = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own child
    if kind == "error":
        raise value
    return value


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


if __name__ == "__main__":
    _answer()
