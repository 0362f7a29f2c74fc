"""Programs that tests start: on a terminal of their own, or to be interrupted."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def run_on_terminal(
    command: list[str], variables: Mapping[str, str], *, separate_stdout: bool = False
) -> tuple[str, str, int]:
    """Run a program on a terminal: what that shows, stdout if it is apart, the exit code."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command,
        stdin=theirs,
        stdout=subprocess.PIPE if separate_stdout else theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **variables},
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # how Linux reports that the other side is closed
            pass
        out = process.stdout.read() if process.stdout is not None else b""
    os.close(ours)
    return shown.decode(), out.decode(), process.returncode


def accept_interruptions() -> None:
    """For `preexec_fn`: a shell makes its background jobs ignore SIGINT, and all they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As nohup does with this one.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
