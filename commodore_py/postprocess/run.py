"""Run the filters of all instances over their trees; results are cached."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.cache.questions.base import View
from commodore_py.cache.recorder import RecordingImports
from commodore_py.cache.records import pack, unpack
from commodore_py.cache.results import ResultCache, Work, key_of
from commodore_py.cache.roots import Roots
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError, paths_explained, raise_collected
from commodore_py.lib import FILTER_INVENTORY, LIBRARIES
from commodore_py.model.problem import Problem

from .definitions import Invalid, definitions_of
from .filters import FILTERS, JSONNET, Job, OwnNode
from .output import inside, with_contents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.cache.recorder import Recorder
    from commodore_py.config import Config
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import PlaceOf
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree

    from .definitions import Definition
    from .filters import Apply

logger = logging.getLogger(__name__)


def apply_filters(
    config: Config, compiled: Mapping[str, Tree], sources: Sources
) -> tuple[Mapping[str, Tree], tuple[Problem, ...]]:
    """The trees as their instances' filters leave them, and what was skipped."""
    # Filters know one folder only: the one that everything is written to.
    paths = WorkPaths(Path(os.path.normpath(sources.plan.output.absolute())))
    work = (config.paths.root, paths.root)
    readable = (*sources.readable, *work, LIBRARIES.parent)
    reach = Reach(readable, work=work, private=config.private_places())
    import_folders = (paths.root, LIBRARIES, paths.vendor)
    before = Files(paths.compiled, paths.catalog, compiled, import_folders, reach=reach)
    cache = ResultCache(
        config.result_cache,
        Roots({"work": paths.root, "library": LIBRARIES.parent}),
        verify=config.verify_cache,
        remote=config.remote_cache,
    )
    components = {instance.name: instance.component for instance in sources.inventory.instances}
    trees = dict(compiled)
    notices: list[Problem] = []
    errors: list[CommodoreError] = []
    for name in sorted(compiled):
        node = sources.inventory.nodes[name]
        dependency = sources.classes.component(name)
        checkout = dependency.directory if dependency else paths.dependencies / name
        job = Job(
            component=components.get(name, name),
            root=paths.compiled / name,
            folder="",
            source=checkout.absolute(),
            files=before,
            inventory=InventoryImports(OwnNode(name, node.raw), FILTER_INVENTORY),
        )
        try:
            with run_log.item("filtered", name):
                trees[name], problems = _filtered(node, job, cache, sources.places.parameter)
        except CommodoreError as error:
            errors.append(error)
        else:
            notices += problems
    raise_collected(errors, "postprocessing")
    return trees, tuple(notices)


def _filtered(
    node: Node, base: Job, cache: ResultCache, place_of: PlaceOf
) -> tuple[Tree, list[Problem]]:
    """The tree of an instance after its filters; the source of `base` is the checkout."""
    name, tree = node.name, base.files.trees[node.name]
    definitions = definitions_of(
        node, tree, root=base.root, checkout=base.source, place_of=place_of
    )
    notices = []
    for definition in definitions:
        if isinstance(definition, Invalid):
            text = f"skipped filter {definition.name} of {name}: {definition.reason}"
            # What is switched off changes nothing, whatever is wrong with it.
            strict = not definition.disabled
            where = definition.spot.seen_from(place_of)
            notices.append(Problem(text, where=where, strict=strict, code="filters/skipped"))
            continue
        if not definition.enabled:
            logger.info("filter %s of %s is disabled", definition.name, name)
            continue
        files = replace(base.files, trees={**base.files.trees, name: tree})
        job = replace(base, folder=definition.folder, source=definition.source, files=files)
        try:
            with paths_explained():
                tree = cache.cached(_work_of(definition, tree, job, cache))
        except CommodoreError as error:
            place = place_of(name, definition.spot.path)
            defined = f", defined at {place}" if place else ""
            error.add_note(f"while filtering {name} with {definition.name}{defined}")
            raise
        if definition.kind == JSONNET and "component" in definition.args:
            text = (
                f"filter {definition.name} of {name}: its argument component is not used,"
                " the variable of that name is always the component"
            )
            where = definition.spot.seen_from(place_of)
            notices.append(Problem(text, where=where, code="filters/unused-argument"))
    return tree, notices


def _work_of(definition: Definition, tree: Tree, job: Job, cache: ResultCache) -> Work[Tree]:
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
