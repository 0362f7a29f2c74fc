"""Argo CD's own engine behind a pipe, and its test data, where they are at hand.

`GITOPS_ORACLE` names the program that runs the engine: it reads JSON documents and prints a line
of JSON for each. `ARGO_CD_CHECKOUT` names a checkout of Argo CD with its rules and test data;
nothing of it is part of this project.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

PROGRAM, CHECKOUT = "GITOPS_ORACLE", "ARGO_CD_CHECKOUT"


class Engine:
    """The engine as a process that answers requests."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, verb: str, **request: object) -> dict[str, Any]:
        """The response to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"verb": verb, **request}), file=self._process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def start() -> Engine:
    """The engine, or a skipped test."""
    program = os.environ.get(PROGRAM)
    if not program:
        pytest.skip(f"{PROGRAM} is not set")
    return Engine(program)


def checkout() -> Path:
    """The checkout of Argo CD, or a skipped test."""
    folder = os.environ.get(CHECKOUT)
    if not folder:
        pytest.skip(f"{CHECKOUT} is not set")
    return Path(folder)
