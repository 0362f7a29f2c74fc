"""Python looks for garbage in cycles rarely, and not at the end.

Hardly any is made here, and each look goes through a hierarchy that is needed to the end. Saved
instructions: --help 3 %, nothing changed 3 %, an edit 3 %; and at the end another 9, 5 and 2 %.
"""

from __future__ import annotations

import gc

from . import enabled

# Python's own are 700, 10, 10.
_THRESHOLDS = (100_000, 100, 100)


def collect_rarely() -> None:
    """Have many more objects made before the next look."""
    if enabled():
        gc.set_threshold(*_THRESHOLDS)


def keep_until_exit() -> None:
    """Leave what there is to the end of the process, in place of looking through it once more."""
    if enabled():
        gc.freeze()
