"""A Jsonnet file: each field of its result becomes a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.compiler.fields import EVERY_INPUT, OFF
from commodore_py.compiler.formats import Format
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry

from .base import inputs_of

if TYPE_CHECKING:
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

FIELDS = {**EVERY_INPUT, "prune": OFF}
SECONDS = 0.06


def render(job: InputJob) -> Output:
    """Evaluate the files in the order of the search paths; the last one to a path wins."""
    entry = job.entry
    how = Format(entry.fields["output_type"], entry.fields["prune"], job.style, job.tags)
    output = job.output
    for pattern in entry.input_paths:
        for source in inputs_of(job, pattern):
            result = json_text.load(job.evaluation.run(source, job.files), name=str(source))
            fields = result if isinstance(result, dict) else {source.stem: result}
            files: dict[Place, Entry] = {}
            try:
                for key, value in fields.items():
                    name, content = how.file(key, value)
                    files[output.place(entry.output_path, name)] = Entry(content)
                output = output.with_files(files)
            except CommodoreError as error:
                error.where = "\n".join(filter(None, (error.where, str(source))))
                raise
    return output
