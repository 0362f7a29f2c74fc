"""Filters as work whose results are cached."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.cache.questions.base import View
from commodore_py.cache.recorder import RecordingImports
from commodore_py.cache.records import pack, unpack
from commodore_py.cache.results import Work, key_of

from .filters import FILTERS
from .output import inside, with_contents

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.cache.results import ResultCache
    from commodore_py.model.tree import Tree

    from .definitions import Definition
    from .filters import Apply, Job


def work_of(definition: Definition, tree: Tree, job: Job, cache: ResultCache) -> Work[Tree]:
    """A filter as work; its key covers everything that it is given, with portable paths."""
    inside(job.root, job.folder)
    spot, roots = definition.spot, cache.roots
    key = key_of(
        definition.kind,
        dict(definition.args),
        job.folder,
        job.component,
        roots.portable(str(job.source)),
        [roots.portable(str(folder)) for folder in job.files.search_paths],
    )
    view = View(job.files, roots, cache.answers, targets=job.inventory.views, target=spot.target)
    apply = FILTERS[definition.kind].parse(definition.args)
    return Work(
        label=f"{spot.target}: filter {definition.name}",
        where=str(spot),
        key=key,
        view=view,
        make=partial(_record, apply, tree, job, view),
        restore=partial(_restore, tree, job),
    )


def _record(
    apply: Apply, tree: Tree, job: Job, view: View, recorder: Recorder
) -> tuple[Tree, bytes]:
    """The tree after a filter; files count even with the bytes that they had before."""
    recording = replace(
        job,
        files=replace(job.files, observer=recorder),
        inventory=RecordingImports(job.inventory, view, recorder),
        traces=recorder.traces,
    )
    after = apply(tree, recording)
    files = {str(path): entry for path, entry in after.items() if tree.get(path) is not entry}
    return after, pack(files)


def _restore(tree: Tree, job: Job, stored: bytes) -> Tree:
    files = unpack(stored)[0].items()
    contents = {PurePosixPath(name): entry.content for name, entry in files}
    if any(path.is_absolute() or ".." in path.parts for path in contents):
        raise ValueError("a result of a filter leaves its folder")
    return with_contents(tree, job.root, contents)
