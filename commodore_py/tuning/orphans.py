"""Processes whose parent has ended count as ours, so that they can be ended with the run.

Not for speed, but only C can ask Linux for it. Without it a program of an external input that
detaches a process and ends leaves that process behind.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from . import enabled

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends."""
    if sys.platform != "linux" or not enabled():
        return
    import ctypes  # slow to import, and most runs start no program of others

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
