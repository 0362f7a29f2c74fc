"""Templates of Jinja2: a file, or every file of a folder whose name has no dot in front."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from commodore_py.compiler.fields import (
    EVERY_INPUT,
    OFF,
    ON,
    Field,
    or_null,
    output_type,
    text,
)
from commodore_py.compiler.natives import topics
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry

from .base import all_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.compiler.job import Entry as InputEntry
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

FIELDS = {
    **EVERY_INPUT,
    "output_type": Field(or_null(output_type), default="plain"),
    "ignore_missing": ON,
    "suffix_remove": OFF,
    "suffix_stripped": Field(or_null(text), default=".j2"),
}
SECONDS = 0.6


def render(job: InputJob) -> Output:
    """Render the templates with the inventory, and with the parameters of the entry."""
    # Jinja takes a while to import, and hardly any component has such an entry.
    from commodore_py.compiler.natives.jinja2 import render as rendered

    entry, output, context = job.entry, job.output, _context(job)
    for source in all_inputs(job):
        written: dict[Place, Entry] = {}
        for name, template in _templates(job, source).items():
            content = job.tags.in_text(rendered(job.files, str(template), context))
            file = job.files.entry(template)
            executable = file is not None and file.executable
            place = output.place(entry.output_path, _output_name(entry, name))
            written[place] = Entry(content.encode(), executable=executable)
        output = output.with_files(written)
    return output


def _templates(job: InputJob, source: Path) -> Mapping[str, Path]:
    """The templates by their names below the source."""
    if job.files.kind(source) == "file":
        return {source.name: source}
    paths = job.files.tree_at(source)
    return {str(path): source / path for path in paths if not path.name.startswith(".")}


def _output_name(entry: InputEntry, name: str) -> str:
    if not entry.fields["suffix_remove"]:
        return name
    suffix = entry.fields["suffix_stripped"]
    if suffix is None:
        raise CommodoreError("suffix_remove needs suffix_stripped", where=entry.where)
    # Kapitan takes the characters of the suffix away, in any order and number.
    return name.rstrip(suffix) if name.endswith(suffix) else name


def _context(job: InputJob) -> dict[str, Any]:
    """The variables of templates, which may change them."""
    target, views = job.output.target, job.imports.views
    inventory_global = {name: copy.deepcopy(dict(views.of(name))) for name in views.names()}
    inventory = inventory_global[target]
    compiled = job.files.compiled / job.output.folder
    parameters = {"compile_path": str(compiled / job.entry.output_path)}
    return {
        "inventory_global": inventory_global,
        "inventory": inventory,
        "topics": lambda name: copy.deepcopy(topics(views, target, name)),
        "input_params": {**parameters, **job.entry.fields["input_params"]},
        **inventory["parameters"]["kapitan"]["vars"],
    }
