"""The real path of what exists by three system calls, where Linux answers.

Python looks at each folder above it, one after the other: 44 µs for ten of them in place of 7. A
run in an empty folder asks 450 times, 2 % of it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import enabled

if TYPE_CHECKING:
    from os import PathLike

_OPENED = "/proc/self/fd"
_GONE = " (deleted)"


def real_path(path: str | PathLike[str]) -> str:
    """The path without links, as `os.path.realpath` has it."""
    return (_known_to_the_system(path) if enabled() else "") or os.path.realpath(path)


def _known_to_the_system(path: str | PathLike[str]) -> str:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (AttributeError, OSError, ValueError):  # another system, or there is nothing
        return ""
    try:
        found = os.readlink(f"{_OPENED}/{file}")  # noqa: PTH115 - a text
    except OSError:
        return ""
    finally:
        os.close(file)
    # A pipe has no path, nor has what is gone meanwhile, or in another name space.
    return found if found.startswith("/") and not found.endswith(_GONE) else ""
