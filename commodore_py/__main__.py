"""Start the command line."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130
_NOT_LOADED = "failed to map segment"  # the C library's words for a module without memory


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    listening = False
    try:
        _open_closed_streams()
        # Imported here: an interruption while modules load must not end in a traceback.
        from commodore_py.restart import restart_to_compile

        restart_to_compile()
        from commodore_py.adapters import ending

        listening = True
        ending.listen()
        code = _run()
        if code == _INTERRUPTED:
            # An evaluation may still run in a thread: Python must not be taken down around it.
            ending.leave(code)
    except KeyboardInterrupt:
        if listening:
            ending.leave(_INTERRUPTED)
        os._exit(_INTERRUPTED)
    except (ImportError, MemoryError) as error:
        if isinstance(error, ImportError) and _NOT_LOADED not in str(error):
            raise
        os.write(2, b"error: there is not enough memory to start\n")
        os._exit(1)
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


def _run() -> int:
    try:
        from commodore_py.cli import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    main()
