"""One target over a hierarchy that is not compiled: its parameters, and its missing classes."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.files import link, write_if_changed
from commodore_py.errors import raise_collected
from commodore_py.inventory import reference
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.loader import MissingClass
from commodore_py.inventory.engine.render import TargetsFailed, render_targets
from commodore_py.inventory.explain import hierarchy as explain
from commodore_py.inventory.explain.diagnostics import Context, diagnose

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Engine
    from commodore_py.inventory.targets import Target
    from commodore_py.model.inventory import Parameters

log = logging.getLogger(__name__)

_GENERATED = "facts of the cluster"


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Class files, generated classes, and one target over them."""

    entries: tuple[tuple[str, Path], ...]
    target_name: str
    target: Target
    generated: Mapping[str, bytes] = field(default_factory=dict)
    made_up: Mapping[str, str] = field(default_factory=dict)
    """Parameters whose value was not given, by their paths."""


def parameters_of(hierarchy: Hierarchy, *, engine: Engine, missing_ok: bool) -> Parameters:
    """The parameters of the target; missing classes are warnings, or errors."""
    if engine == "reference":
        return _by_reference(hierarchy, missing_ok=missing_ok)
    files = ClassFiles(hierarchy.entries, generated=hierarchy.generated)
    loaded = explain.Hierarchy(
        files,
        {hierarchy.target_name: yaml.dump(hierarchy.target)},
        shown=str,
        generated=dict.fromkeys(hierarchy.generated, _GENERATED),
    )
    try:
        return _rendered(hierarchy, files, missing_ok=False)
    except TargetsFailed as failure:
        missing = _missing_classes(loaded, hierarchy)
        if not missing:
            raise diagnose(failure, loaded, Context()) from None
    if not missing_ok:
        raise_collected(missing, "classes are missing")
    for problem in missing:
        log.warning(str(problem), extra={"where": problem.where, "hint": problem.hint})
    try:
        return _rendered(hierarchy, files, missing_ok=True)
    except TargetsFailed as failure:
        raise diagnose(failure, loaded, Context(missing_ok=True)) from None


def _rendered(hierarchy: Hierarchy, files: ClassFiles, *, missing_ok: bool) -> Parameters:
    name = hierarchy.target_name
    nodes = render_targets(files, {name: hierarchy.target}, {name: ""}, missing_ok=missing_ok)
    return nodes[name].parameters


def _missing_classes(loaded: explain.Hierarchy, hierarchy: Hierarchy) -> list[MissingClass]:
    places: dict[str, str] = {}
    for error, chain in loaded.replay(hierarchy.target_name).failures:
        if isinstance(error, MissingClass):
            # The target itself has no file.
            by_class = len(chain) > 1
            place = str(loaded.place_of_class(chain[-1], str(error.subject))) if by_class else ""
            places.setdefault(error.name, place)
    missing = [
        MissingClass(f"class {name} not found", where=where) for name, where in places.items()
    ]
    behind = {
        parameter: value
        for parameter, value in hierarchy.made_up.items()
        if any(value in name.split(".") for name in places)
    }
    if missing and behind:
        values = ", ".join(f"{parameter} {value}" for parameter, value in behind.items())
        missing[
            -1
        ].hint = f"made up: {values}; give the real values in a file with -f, or facts with --fact"
    return missing


def _by_reference(hierarchy: Hierarchy, *, missing_ok: bool) -> Parameters:
    """Resolve it by reclass-rs, which needs everything in one folder."""

    def fill(folder: Path) -> None:
        for prefix, given in hierarchy.entries:
            source, place = given.absolute(), folder / "classes" / prefix
            link(place if source.is_dir() else place.with_name(f"{place.name}.yml"), source)
        for name, content in hierarchy.generated.items():
            place = folder / "classes" / f"{name.replace('.', '/')}.yml"
            write_if_changed(place, content)
        target = yaml.dump(hierarchy.target)
        write_if_changed(folder / "targets" / f"{hierarchy.target_name}.yml", target)

    nodes = reference.render_folder(fill, missing_ok=missing_ok, forward=True)
    return nodes[hierarchy.target_name].parameters
