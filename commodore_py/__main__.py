"""Start the command line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from commodore_py.tuning import garbage, go_collector

_INTERRUPTED = 130


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    _open_closed_streams()
    garbage.collect_rarely()
    try:
        go_collector.restart_to_compile()
        # Imported here: an interruption while modules load must not end in a traceback.
        from commodore_py.cli import run  # noqa: PLC0415

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        _exit_at_once()
    garbage.keep_until_exit()
    sys.exit(code)


def _open_closed_streams() -> None:
    """Replace closed standard streams: the next file that is opened would take their place."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def _exit_at_once() -> None:
    """An evaluation may still run in another thread: Python must not be taken down around it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
