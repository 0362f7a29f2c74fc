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
    Compared,
    Outcome,
    Verdict,
    Verdicts,
    changed,
    compared,
    refuse_differences,
)
from .versions import foundation
from .watched import WatchedOverlay

__all__ = [
    "UNSTEADY",
    "CacheDiffers",
    "Compared",
    "Found",
    "Marks",
    "Missing",
    "Outcome",
    "Present",
    "Reads",
    "Results",
    "Roots",
    "Verdict",
    "Verdicts",
    "WatchedOverlay",
    "changed",
    "compared",
    "explain",
    "foundation",
    "key_of",
    "mark_of",
    "refuse_differences",
    "written",
]
