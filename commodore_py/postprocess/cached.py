"""Filters as work whose results are cached."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.cache import digests
from commodore_py.cache.packing import pack, unpack
from commodore_py.cache.program import program_digest
from commodore_py.cache.questions.base import View
from commodore_py.cache.recorder import RecordingImports
from commodore_py.cache.results import ResultCache, Work
from commodore_py.cache.roots import Roots
from commodore_py.lib import LIBRARIES

from .output import with_contents

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.config import Config
    from commodore_py.model.tree import Tree

    from .definitions import Definition
    from .filters import Apply, Filter, Job

_FORMAT = 3


def filter_cache(config: Config) -> ResultCache:
    """Results of the filters of one run."""
    return ResultCache(
        config.result_cache,
        Roots({"work": config.paths.root, "library": LIBRARIES.parent}),
        verify=config.verify_cache,
        remote=config.remote_cache,
    )


def filtered(
    definition: Definition, kind: Filter, tree: Tree, job: Job, cache: ResultCache
) -> Tree:
    """The tree after a filter, cached or run."""
    apply = kind.parse(definition.args)
    if not cache.in_store:
        return apply(tree, job)
    label = f"{definition.spot.target}: filter {definition.name}"
    key = digests.of_value(
        (
            _FORMAT,
            program_digest(),
            definition.kind,
            dict(definition.args),
            job.folder,
            job.component,
            [cache.roots.portable(str(folder)) for folder in job.files.search_paths],
            kind.sees(tree, job, cache.roots),
        )
    )
    if key is None:
        cache.not_cached(label, "its arguments are not plain data")
        return apply(tree, job)
    target = definition.spot.target
    view = View(job.files, cache.roots, cache.answers, targets=job.inventory.views, target=target)
    return cache.cached(
        Work(
            label,
            str(definition.spot),
            key,
            view,
            partial(_record, apply, tree, job, view),
            partial(_restore, tree, job),
        )
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
