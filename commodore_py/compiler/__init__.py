"""Kapitan semantics: instances to trees."""

from .compile import compile_targets, share_results, usable_cpus, working_directory_plan
from .entries import check_entries, wanted_downloads
from .job import Job

__all__ = [
    "Job",
    "check_entries",
    "compile_targets",
    "share_results",
    "usable_cpus",
    "wanted_downloads",
    "working_directory_plan",
]
