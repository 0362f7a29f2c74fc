"""Kapitan semantics: instances to trees."""

from .chart_problems import chart_doubts
from .compile import compile_targets, usable_cpus, working_directory_plan
from .downloads import wanted_downloads
from .entries import check_entries
from .job import Job

__all__ = [
    "Job",
    "chart_doubts",
    "check_entries",
    "compile_targets",
    "usable_cpus",
    "wanted_downloads",
    "working_directory_plan",
]
