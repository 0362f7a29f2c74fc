"""Kapitan semantics: instances to trees."""

from .charts.doubts import chart_doubts
from .compile import checkouts_of, compile_job, compile_targets, refuse_misplaced, usable_cpus
from .downloads import wanted_downloads
from .entries import check_entries
from .job import Job
from .placing import placing

__all__ = [
    "Job",
    "chart_doubts",
    "check_entries",
    "checkouts_of",
    "compile_job",
    "compile_targets",
    "placing",
    "refuse_misplaced",
    "usable_cpus",
    "wanted_downloads",
]
