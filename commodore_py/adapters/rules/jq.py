"""Run jq expressions in a process of their own, with limits and without any access."""

from __future__ import annotations

import os
import resource
import signal
from functools import cache
from typing import Any

from commodore_py.adapters.isolated import Crashed, Session
from commodore_py.errors import CommodoreError

SECONDS = 1.0
"""How much CPU time an expression may take with one object, as with Argo CD."""
MEMORY = 512 << 20

_FUNCTION = "commodore_py.adapters.rules.jq:run_expression"
_TIMED_OUT = f"process status {-signal.SIGVTALRM}"


class JqFailed(CommodoreError):
    """An expression failed with an object: mostly, it does not fit."""


class JqInvalid(CommodoreError):
    """An expression is not valid, has several results, or took too much time or memory."""


class JqWorker:
    """One process for the expressions of a run; started on first use, and again when it ended."""

    def __init__(self) -> None:
        self._session = Session(bare=True)

    def __call__(self, expression: str, value: object) -> Any:  # noqa: ANN401 - JSON
        """The one result of an expression for a value."""
        try:
            return self._session.call(_FUNCTION, expression, value)
        except Crashed as error:
            if error.where == _TIMED_OUT:
                raise JqInvalid(f"it took more than {SECONDS:g} s of CPU time") from error
            raise JqInvalid(f"its process ended: {error}") from error

    def close(self) -> None:
        """End the process."""
        self._session.close()


def run_expression(expression: str, value: object) -> Any:  # noqa: ANN401 - JSON
    """Run an expression in this process, which is killed when it takes too long."""
    program = _compiled(expression)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        found = program.input_value(value).all()
    except ValueError as error:
        raise JqFailed(str(error).partition("\n")[0]) from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if len(found) != 1:
        raise JqInvalid(f"it has {len(found)} results")
    return found[0]


@cache
def _compiled(expression: str) -> Any:  # noqa: ANN401 - jq has no types
    try:
        import jq
    except ImportError as error:
        raise CommodoreError(
            "jqPathExpressions need the package jq",
            where=str(error),
            hint="install commodore-py[live], or leave the setting out of the file",
        ) from error
    os.environ.clear()
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
    try:
        return jq.compile(expression)
    except ValueError as error:
        raise JqInvalid(str(error).partition("\n")[0]) from error
