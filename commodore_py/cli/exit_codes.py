"""Every exit code beside 0, 1 (an error, see `errors.py`), 2 (usage, by click) and 6.

6 is an error as well: a lock file would have to change, and may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

OUR_BUG = 3
NOT_REPORTED = 4
"""The catalog was pushed, but the report failed."""
CHANGES_FOUND = 5
"""There are changes, and the user asked to be told by the exit code."""
TIME_IS_UP = 7
"""What was waited for did not happen in time."""
TOOL_MISSING = 127
INTERRUPTED = 130

_MILD = (0, CHANGES_FOUND, NOT_REPORTED)


def worst(codes: Iterable[int]) -> int:
    """The exit code of several runs: errors outweigh all else, and a bug of ours outweighs them."""

    def rank(code: int) -> int:
        return _MILD.index(code) if code in _MILD else len(_MILD) + (code == OUR_BUG)

    return max(codes, key=rank, default=0)
