"""Let a cluster or a tenant use another version: an edit of the line that includes a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of as bytes_of
from commodore_py.dependencies.bundles.index import CLASSES
from commodore_py.dependencies.protection.class_files import replace_class_file
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.class_edits import Edit, edited
from commodore_py.inventory.engine.classes import absolute_name
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.explain.places import items_of
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.model.dependency import Kind
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Place
from commodore_py.workflows.editing.layers import Scope

from .trials import graded, trials

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.dependencies.bundles.index import Entry
    from commodore_py.inventory.explain.hierarchy import Hierarchy

    from .checkout import Bundles


class Planned(NamedTuple):
    """The edit that uses another version; not written yet."""

    file: Path
    shown: str
    line: int
    before: bytes
    after: bytes
    diff: ObjectDiff | None
    """What changes in the catalog; None if nothing is edited."""


def plan(config: Config, bundles: Bundles, version: str, where: str) -> Planned:
    """Replace the bundle's class in a class of the hierarchy, and compile with that."""
    entry = bundles.entry(version)
    if entry.withdrawn is not None:
        raise CommodoreError(
            f"bundle {version} is withdrawn: {entry.withdrawn.reason}",
            hint=f"use {entry.withdrawn.instead}" if entry.withdrawn.instead else "",
        )
    hierarchy = compiled_hierarchy(config.paths)
    name, number = _found(hierarchy, where)
    file, shown = hierarchy.files.path(name), hierarchy.file_of(name)
    before = bytes_of(file)
    after = edited(
        before, Edit("set", ("classes", number), _written(before, number, entry)), name=shown
    )
    line = yaml.line_at(after, [0, "classes", number])
    if after == before:
        return Planned(file, shown, line, before, before, None)
    top = name.partition(".")[0]
    kind = Kind.GLOBAL if top == "global" else Kind.TENANT
    folder = config.paths.classes / top
    path = str(file.resolve().relative_to(folder.resolve()))
    with trials(config, cluster_id_in(config.paths)) as compiling:
        old = compiling.compiled({(kind, path): before})
        new = compiling.compiled({(kind, path): after})
        return Planned(file, shown, line, before, after, graded(old, new))


def _written(before: bytes, number: int, entry: Entry) -> str:
    """The name of the class, relative if the old one is."""
    old = yaml.load(before, name="")["classes"][number]
    if old.startswith("."):
        prefix = old[: len(old) - len(old.lstrip("."))]
        return f"{prefix}bundles.{entry.name}" if "bundles." in old else f"{prefix}{entry.name}"
    return entry.class_name


def _found(hierarchy: Hierarchy, where: str) -> tuple[str, int]:
    """The class that includes a bundle, and the number of that in its list of classes."""
    replay = hierarchy.replay(BOOTSTRAP)
    including: dict[str, tuple[int, str, str]] = {}
    for layer in replay.layers:
        if layer.absolute not in hierarchy.files or layer.absolute.startswith(CLASSES):
            continue
        folder = hierarchy.files.folder(layer.absolute)
        for number, (item, line) in enumerate(items_of(layer.fields.get("classes"))):
            if absolute_name(item, folder).startswith(CLASSES):
                including[layer.absolute] = (number, item, str(Place(layer.file, line)))
    chosen = [*including]
    if where in ("tenant", "cluster"):
        scope = Scope.of(replay, "tenant" if where == "tenant" else "cluster")
        chosen = [name for name in chosen if scope.holds(name)]
    elif where:
        chosen = [name for name in chosen if where in (name, hierarchy.file_of(name))]
    if not chosen:
        raise UsageError(
            f"no class of {where} includes a bundle" if where else "no class includes a bundle",
            hint="classes that do: " + ", ".join(including)
            if including
            else "add one to the classes of a file: commodore bundle list",
        )
    name = chosen[-1]
    number, item, place = including[name]
    if "${" in item:
        raise UsageError(
            f"the bundle is selected by a reference: {item}",
            where=place,
            hint="change the fact: in the API, or in the cluster's file of a folder of facts",
        )
    return name, number


def write(config: Config, planned: Planned, version: str, *, max_grade: str) -> None:
    """Write the edit, unless it changes something worse than is accepted."""
    if planned.diff is None:
        return
    accepted = GRADES.index(max_grade)
    worse = [
        object_change
        for object_change in planned.diff.objects
        if GRADES.index(object_change.grade) < accepted
    ]
    if worse:
        what = ", ".join(f"{object_change.id} ({object_change.grade})" for object_change in worse)
        raise CommodoreError(
            f"bundle {version} would change more than is accepted: {what}",
            where=f"{planned.shown}:{planned.line}",
            hint="nothing was written; --max-grade accepts more, --dry-run shows all changes",
        )
    file = planned.file.parent.resolve() / planned.file.name
    with exclusive_run(config.paths):
        replace_class_file(config.paths, file, planned.before, planned.after)
