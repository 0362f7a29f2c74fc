"""The width of the terminal without `shutil`, which imports all that unpacks archives.

Saved instructions: --help 3 %.
"""

from __future__ import annotations

import os
import sys

from . import enabled

_COLUMNS = 80


def columns() -> int | None:
    """As `shutil.get_terminal_size` has it; none if tuning is off."""
    if not enabled():
        return None
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):
            columns = 0
    return columns or _COLUMNS
