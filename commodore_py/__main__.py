"""Start the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    from commodore_py.cli import run  # noqa: PLC0415 - `python -m` and the script share this door

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
