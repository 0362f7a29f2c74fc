"""What work really looked at, and results that are found again where all of that is the same."""

from .kept import Found, Missing, Results, key_of
from .marks import Marks, mark_of, written
from .present import Present
from .reads import Reads
from .roots import Roots
from .versions import foundation
from .watched import WatchedOverlay

__all__ = [
    "Found",
    "Marks",
    "Missing",
    "Present",
    "Reads",
    "Results",
    "Roots",
    "WatchedOverlay",
    "foundation",
    "key_of",
    "mark_of",
    "written",
]
