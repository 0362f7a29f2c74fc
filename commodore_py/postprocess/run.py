"""Run the filters of all instances over their trees."""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.files.view import Files
from commodore_py.adapters.jsonnet.inventory import InventoryImports
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError, paths_explained, raise_collected
from commodore_py.lib import FILTER_INVENTORY, LIBRARIES
from commodore_py.model.problem import Problem

from .cached import filter_cache, filtered
from .definitions import Definition, Invalid, NoDefinitions, definitions_of
from .filters import FILTERS, JSONNET, Job, OwnNode
from .output import inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.cache.results import ResultCache
    from commodore_py.config import Config
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import PlaceOf
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree

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
    cache = filter_cache(replace(config, paths=paths))
    components = {instance.name: instance.component for instance in sources.inventory.instances}
    trees = dict(compiled)
    notices: list[Problem] = []
    errors: list[CommodoreError] = []
    for name in sorted(compiled):
        dependency = sources.classes.component(name)
        checkout = dependency.directory if dependency else paths.dependencies / name
        instance = _Instance(
            node=sources.inventory.nodes[name],
            component=components.get(name, name),
            checkout=checkout.absolute(),
            before=before,
            cache=cache,
            place_of=sources.places.parameter,
        )
        try:
            with run_log.item("filtered", name):
                trees[name], skipped = _filter_instance(instance)
        except CommodoreError as error:
            errors.append(error)
        else:
            notices += skipped
    raise_collected(errors, "postprocessing")
    return trees, tuple(notices)


@dataclass(frozen=True, slots=True)
class _Instance:
    """Input that all filters of an instance share."""

    node: Node
    component: str
    checkout: Path
    before: Files
    cache: ResultCache
    place_of: PlaceOf

    @contextlib.contextmanager
    def named_in_errors(self, definition: Definition) -> Iterator[None]:
        """Errors name the filter, and where it is defined."""
        try:
            yield
        except CommodoreError as error:
            place = self.place_of(definition.spot.target, definition.spot.path)
            defined = f", defined at {place}" if place else ""
            error.add_note(f"while filtering {self.node.name} with {definition.name}{defined}")
            raise


def _filter_instance(instance: _Instance) -> tuple[Tree, list[Problem]]:
    name = instance.node.name
    root, tree = instance.before.compiled / name, instance.before.trees[name]
    try:
        definitions = definitions_of(instance.node, tree, root=root, checkout=instance.checkout)
    except NoDefinitions as error:
        error.where = error.spot.seen_from(instance.place_of)
        raise
    notices = []
    for definition in definitions:
        where = definition.spot.seen_from(instance.place_of)
        if isinstance(definition, Invalid):
            text = f"skipped filter {definition.name} of {name}: {definition.reason}"
            # What is switched off changes nothing, whatever is wrong with it.
            strict = not definition.disabled
            notices.append(Problem(text, where=where, strict=strict, code="filters/skipped"))
        elif not definition.enabled:
            logger.info("filter %s of %s is disabled", definition.name, name)
        else:
            with instance.named_in_errors(definition), paths_explained():
                job = Job(
                    component=instance.component,
                    root=root,
                    folder=definition.folder,
                    source=definition.source,
                    files=replace(instance.before, trees={**instance.before.trees, name: tree}),
                    inventory=InventoryImports(OwnNode(name, instance.node.raw), FILTER_INVENTORY),
                )
                inside(job.root, definition.folder)
                tree = filtered(definition, FILTERS[definition.kind], tree, job, instance.cache)
            if definition.kind == JSONNET and "component" in definition.args:
                text = (
                    f"filter {definition.name} of {name}: its argument component is not used,"
                    " the variable of that name is always the component"
                )
                notices.append(Problem(text, where=where, code="filters/unused-argument"))
    return tree, notices
