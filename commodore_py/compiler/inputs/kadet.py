"""A Python module with a function `main`, run by Kapitan itself in a process of its own."""

from __future__ import annotations

from dataclasses import replace
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py.compiler.fields import EVERY_INPUT, OFF, Field, mapping, or_null
from commodore_py.compiler.kapitan import failure, run
from commodore_py.compiler.workplace import laid_out

from .base import all_inputs, check_for_programs

if TYPE_CHECKING:
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output

FIELDS = {**EVERY_INPUT, "input_value": Field(or_null(mapping)), "prune": OFF}
SECONDS = 0.6


def render(job: InputJob) -> Output:
    """Compile the entry with its target's files on disk for as long as it takes."""
    job.recorder.unseal("Python code may read anything")
    entry, output = job.entry, job.output
    check_for_programs(job, all_inputs(job))
    views = job.imports.views
    with laid_out(job, [output.checkout] if output.checkout else []) as workplace:
        scratch = workplace.scratch
        # The working directory still has the last run's `compiled/`: it would be found first.
        inputs = [
            str(scratch / clean) if (clean := normpath(path)).startswith("compiled/") else path
            for path in entry.input_paths
        ]
        given = replace(entry, fields={**entry.fields, "input_paths": inputs})
        targets = {name: dict(views.of(name)) for name in views.names()}
        problem = run("compile_kadet", job.job, scratch, given, targets)
        if problem:
            raise failure(problem, scratch, entry.where)
        return workplace.output()
