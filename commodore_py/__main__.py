"""Start the command line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from commodore_py.tuning import garbage, go_collector

_INTERRUPTED = 130


def main() -> None:
    """Run the command line, and end the process with its exit code."""
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


def _exit_at_once() -> None:
    """An evaluation may still run in another thread: Python must not be taken down around it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
