"""Start the command line."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    try:
        # Imported here, so that an interruption while modules are loaded is none of Python's news.
        from commodore_py.cli import run  # noqa: PLC0415

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = _INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
