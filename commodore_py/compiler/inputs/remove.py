"""Output of earlier entries, taken away again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.compiler.fields import EVERY_INPUT, NO_TEXT
from commodore_py.model.git_names import has_git_name

from .base import InputMissing, inputs_of

if TYPE_CHECKING:
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

FIELDS = {**EVERY_INPUT, "output_path": NO_TEXT}
SECONDS = 0.0


def render(job: InputJob) -> Output:
    """Take away files and folders; those of the checkout only as far as this run can see."""
    compiled = job.files.compiled / job.output.folder
    output = job.output
    for pattern in job.entry.input_paths:
        removed: list[Place] = []
        folders = []
        for path in _inputs(job, pattern):
            if path.is_relative_to(compiled):
                removed.append(output.place(str(path.relative_to(compiled))))
                continue
            place = output.place(str(path.absolute()))  # refused outside of the checkout
            if job.files.kind(path) == "folder":
                removed += [place / below for below in job.files.tree_at(path)]
                folders.append(Path(place))
            else:
                removed.append(place)
        output = output.without(removed, folders)
    return output


def _inputs(job: InputJob, pattern: str) -> list[Path]:
    try:
        return inputs_of(job, pattern)
    except InputMissing:
        if has_git_name(pattern):  # left out when its repository was copied
            return []
        raise
