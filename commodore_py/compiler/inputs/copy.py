"""Files and folders, copied as they are."""

from __future__ import annotations

from pathlib import PurePosixPath
from posixpath import isabs
from typing import TYPE_CHECKING

from commodore_py.compiler.fields import EVERY_INPUT, Field, flag
from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import has_git_name
from commodore_py.model.tree import Tree

from .base import all_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output

FIELDS = {**EVERY_INPUT, "ignore_missing": Field(flag, default=False)}
SECONDS = 0.0


def render(job: InputJob) -> Output:
    """A file goes below the output path under its name, a folder's content is merged into it."""
    output = job.output
    for source in all_inputs(job):
        tree = _found(job, source)
        output = output.with_files(
            {output.place(job.entry.output_path, str(at)): file for at, file in tree.items()}
        )
        for folder in sorted(tree.empty_folders):
            if has_git_name(str(folder)) and isabs(job.entry.output_path):
                continue  # into a checkout, where Git needs its own
            output = output.with_folder(output.place(job.entry.output_path, str(folder)))
    return output


def _found(job: InputJob, source: Path) -> Tree:
    files = job.files
    match files.kind(source):
        case "folder":
            return files.tree_at(source)
        case "file":
            entry = files.entry(source)
            return Tree({PurePosixPath(source.name): entry} if entry is not None else {})
        case _ if job.entry.fields["ignore_missing"]:
            return Tree()
    raise CommodoreError(f"cannot copy {source}: the link leads nowhere", where=job.entry.where)
