"""What work really looked at, and results that are found again where all of that is the same."""

from .explained import explain
from .kept import Found, Missing, Results, key_of
from .marks import Marks, mark_of, written
from .present import Present
from .reads import Reads
from .roots import Roots
from .verdict import (
    UNSTEADY,
    CacheDiffers,
    Outcome,
    Tally,
    Verdict,
    Verdicts,
    changed,
    refuse_differences,
    tally,
)
from .versions import foundation
from .watched import WatchedOverlay

__all__ = [
    "UNSTEADY",
    "CacheDiffers",
    "Found",
    "Marks",
    "Missing",
    "Outcome",
    "Present",
    "Reads",
    "Results",
    "Roots",
    "Tally",
    "Verdict",
    "Verdicts",
    "WatchedOverlay",
    "changed",
    "explain",
    "foundation",
    "key_of",
    "mark_of",
    "refuse_differences",
    "tally",
    "written",
]
