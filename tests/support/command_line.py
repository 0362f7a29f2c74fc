"""The command line, run in this process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from commodore_py.cli import run

from .schemas import check_printed

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


@dataclass(frozen=True)
class Ran:
    """The exit code of a command, and its output on both streams."""

    code: int
    out: str
    err: str


class CommandLine:
    """`commodore`, as if typed."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, read: Callable[[], tuple[str, str]]
    ) -> None:
        self._monkeypatch = monkeypatch
        self._read = read

    def __call__(self, *arguments: str, stdin: str = "", **variables: str) -> Ran:
        """Run it with these words, this stdin and these variables."""
        before = dict(os.environ)
        with self._monkeypatch.context() as patch:
            patch.setattr("sys.stdin", StringIO(stdin))
            for name, value in variables.items():
                patch.setenv(name, value)
            self._read()
            try:
                code = run(arguments)
            finally:
                os.environ.clear()
                os.environ.update(before)
        out, err = self._read()
        check_printed(out, err)
        return Ran(code, out, err)
