"""A folder of CUE, exported by the program cue as one YAML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import files, yaml
from commodore_py.compiler.fields import EVERY_INPUT, NO_TEXT, Field, named_values, or_null, text
from commodore_py.compiler.workplace import scratch_folder
from commodore_py.model.tree import Entry

from .base import all_inputs, check_for_programs, run_program

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output

FIELDS = {
    **EVERY_INPUT,
    "input": Field(or_null(named_values)),
    "input_fill_path": NO_TEXT,
    "output_yield_path": NO_TEXT,
    "output_filename": Field(or_null(text), default="output.yaml"),
}
SECONDS = 0.6


def render(job: InputJob) -> Output:
    """Export a copy of each folder, with the entry's input in it."""
    job.recorder.unseal("cue may read modules of others")
    fields, output = job.entry.fields, job.output
    place = output.place(job.entry.output_path, fields["output_filename"] or "output.yaml")
    for source in all_inputs(job):
        check_for_programs(job, [source])
        output = output.with_files({place: Entry(_exported(job, source))})
    return output


def _exported(job: InputJob, source: Path) -> bytes:
    fields = job.entry.fields
    command = ["cue", "export", "."]
    if fields["input_fill_path"]:
        command += ["-l", fields["input_fill_path"]]
    command += ["input.yaml", "--out", "yaml"]
    if fields["output_yield_path"]:
        command += ["--expression", fields["output_yield_path"]]
    with scratch_folder() as scratch:
        folder = scratch / source.name
        files.write_tree(folder, job.files.tree_at(source))
        files.write_if_changed(folder / "input.yaml", yaml.dump(fields["input"]))
        env = {"CUE_REGISTRY": "none"} if job.job.config.offline else {}
        return run_program(job, command, source, folder, env)
