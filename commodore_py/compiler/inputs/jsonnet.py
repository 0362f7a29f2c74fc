"""A Jsonnet file: each field of its result becomes a file."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.jsonnet.captured import captured
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.compiler.fields import EVERY_INPUT, OFF
from commodore_py.compiler.formats import Format
from commodore_py.compiler.natives import natives
from commodore_py.errors import CommodoreError
from commodore_py.lib import KAPITAN_LIBRARIES
from commodore_py.model.tree import Entry

from .base import all_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import InventoryImports
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

FIELDS = {**EVERY_INPUT, "prune": OFF}
SECONDS = 0.06


def render(job: InputJob) -> Output:
    """Evaluate the files in the order of the search paths; the last one to a path wins."""
    entry = job.entry
    how = Format(entry.fields["output_type"], entry.fields["prune"], job.style, job.tags)
    output = job.output
    for source in all_inputs(job):
        with captured(job.recorder.traces):
            text = evaluate_file(source, job.files, job.imports, target=entry.target)
        result = json_text.load(text, name=str(source))
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


def evaluate_file(source: Path, files: Files, imports: InventoryImports, *, target: str) -> str:
    """The value of a file as JSON text, with all that component code expects."""
    return evaluate(
        source,
        files.read(source),
        import_folders=(KAPITAN_LIBRARIES, *files.search_paths),
        ext_vars={"target": target},
        natives=natives(files, imports.views, target=target),
        read=functools.partial(_imported, files, imports, target),
    )


def _imported(files: Files, imports: InventoryImports, target: str, path: str) -> bytes | None:
    """A file that is imported, with the line ends that Python's text files have if it is one."""
    generated = imports.read(path, target)
    if generated is not None:
        return generated
    content = files.read(path)
    if content is None or b"\r" not in content:
        return content
    try:
        content.decode()
    except UnicodeDecodeError:
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
