"""Every exit code beside 0, 1 (an error, see `errors.py`) and 2 (usage, by click)."""

from __future__ import annotations

OUR_BUG = 3
NOT_REPORTED = 4
"""The catalog was pushed, but the report failed."""
CHANGES_FOUND = 5
"""There are changes, and the user asked to be told by the exit code."""
TOOL_MISSING = 127
INTERRUPTED = 130
