"""A Python module with a function `main`, run by Kapitan itself in a process of its own."""

from __future__ import annotations

from dataclasses import replace
from posixpath import normpath
from typing import TYPE_CHECKING

from commodore_py.adapters import isolated
from commodore_py.adapters.files import write_if_changed
from commodore_py.compiler.fields import EVERY_INPUT, OFF, Field, mapping, or_null
from commodore_py.compiler.kapitan.kadet import Request
from commodore_py.compiler.kapitan.parts import CompileError, about_reference
from commodore_py.compiler.workplace import laid_out
from commodore_py.model.inventory import Inventory

from .base import check_for_programs, inputs_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output

FIELDS = {**EVERY_INPUT, "input_value": Field(or_null(mapping)), "prune": OFF}
SECONDS = 0.6


def render(job: InputJob) -> Output:
    """Compile the entry with its target's files on disk for as long as it takes."""
    job.recorder.unseal("Python code may read anything")
    entry, output = job.entry, job.output
    for pattern in entry.input_paths:
        check_for_programs(job, inputs_of(job, pattern))
    views = job.evaluation.inventory.views
    with laid_out(job, [output.checkout] if output.checkout else []) as workplace:
        scratch = workplace.scratch
        for file in job.job.references:
            write_if_changed(scratch / "refs" / file.path, file.content)
        request = Request(
            target=output.target,
            fields={
                **entry.fields,
                "input_paths": [_in_scratch(path, scratch) for path in entry.input_paths],
            },
            views={name: dict(views.of(name)) for name in views.names()},
            search_paths=tuple(map(str, (*job.job.search_paths, scratch))),
            scratch=scratch,
            job=replace(job.job, inventory=Inventory({}), bases=None),
        )
        try:
            problem = isolated.call("commodore_py.compiler.kapitan.kadet:run", request)
        except isolated.Crashed as error:
            raise CompileError(f"Kapitan ended without a result: {error}") from error
        if problem:
            # The scratch folder is removed before this is read.
            text = problem.replace(str(scratch), "(scratch)")
            raise about_reference(CompileError(text, where=entry.where))
        return workplace.output()


def _in_scratch(path: str, scratch: Path) -> str:
    # The working directory still has the last run's `compiled/`, and it would be found first.
    clean = normpath(path)
    return str(scratch / clean) if clean.startswith("compiled/") else path
