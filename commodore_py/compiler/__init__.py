"""Kapitan semantics: instances to trees."""

from .compile import compile_job, compile_targets, refuse_misplaced, usable_cpus
from .job import Job

__all__ = ["Job", "compile_job", "compile_targets", "refuse_misplaced", "usable_cpus"]
