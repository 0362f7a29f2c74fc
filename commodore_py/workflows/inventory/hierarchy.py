"""One target over a hierarchy that nobody compiles: its parameters, and the classes it lacks."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import isolated, yaml
from commodore_py.adapters.files import link, write_if_changed
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.inventory.engine.classes import ClassFiles, absolute_name
from commodore_py.inventory.engine.nodes import TargetsFailed
from commodore_py.inventory.engine.render import render_targets
from commodore_py.inventory.explain.diagnostics import Circumstances, located
from commodore_py.inventory.explain.replay import Hierarchy as LaidOpen
from commodore_py.inventory.lint.names import literal_length, pattern_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from commodore_py.config import Engine
    from commodore_py.inventory.engine.reader import ClassFile
    from commodore_py.inventory.targets import Target
    from commodore_py.model.inventory import Parameters

log = logging.getLogger(__name__)

_FACTS = "facts."
_GENERATED = "what is known about the cluster"
_RENDER_FOLDER = "commodore_py.inventory.reference:render_folder"


@dataclass(frozen=True, slots=True)
class Assumption:
    """A parameter that was made up because nobody gave it."""

    parameter: str
    value: str


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where classes lie, those that lie nowhere, and one target over them."""

    entries: tuple[tuple[str, Path], ...]
    target_name: str
    target: Target
    generated: Mapping[str, bytes] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()


class MissingClass(CommodoreError):
    """A class is included that is not there."""


def parameters_of(hierarchy: Hierarchy, *, engine: Engine, missing_ok: bool) -> Parameters:
    """The parameters of the target; classes that are not there are warned about, or refused."""
    if engine == "reference":
        return _by_reference(hierarchy, missing_ok=missing_ok)
    files = _WatchedFiles(hierarchy.entries, generated=hierarchy.generated)
    name = hierarchy.target_name
    try:
        nodes = render_targets(files, {name: hierarchy.target}, {name: ""}, missing_ok=True)
    except TargetsFailed as failure:
        _tell_missing(files, hierarchy, missing_ok=missing_ok)
        raise located(
            failure, _laid_open(hierarchy, files), Circumstances(missing_ok=True)
        ) from None
    _tell_missing(files, hierarchy, missing_ok=missing_ok)
    return nodes[name].parameters


class _WatchedFiles(ClassFiles):
    """Class files that remember which were read, and which were asked for in vain."""

    def __init__(
        self, entries: tuple[tuple[str, Path], ...], *, generated: Mapping[str, bytes]
    ) -> None:
        super().__init__(entries, generated=generated)
        self.missing: dict[str, None] = {}
        self.loaded: dict[str, None] = {}

    def __contains__(self, name: str) -> bool:
        there = super().__contains__(name)
        if not there:
            self.missing[name] = None
        return there

    def load(self, name: str) -> ClassFile:
        self.loaded[name] = None
        return super().load(name)


def _laid_open(hierarchy: Hierarchy, files: ClassFiles) -> LaidOpen:
    """What was resolved, to be looked at more closely."""
    return LaidOpen(
        files,
        {hierarchy.target_name: yaml.dump(hierarchy.target)},
        shown=str,
        generated=dict.fromkeys(hierarchy.generated, _GENERATED),
    )


def _tell_missing(files: _WatchedFiles, hierarchy: Hierarchy, *, missing_ok: bool) -> None:
    if not files.missing:
        return
    problems = [
        MissingClass(f"class {name} is not there", where=_include_of(name, files))
        for name in files.missing
    ]
    behind = [
        one
        for one in hierarchy.assumptions
        if any(one.value in name.split(".") for name in files.missing)
    ]
    problems[-1].hint = _hint(behind)
    if not missing_ok:
        raise_collected(problems, "classes are missing")
    for problem in problems:
        log.warning(str(problem), extra={"where": problem.where, "hint": problem.hint})


def _hint(behind: Sequence[Assumption]) -> str:
    if not behind:
        return ""
    made_up = ", ".join(f"{one.parameter} {one.value}" for one in behind)
    facts = [one.parameter for one in behind if one.parameter.startswith(_FACTS)]
    options = [f"--fact {name.removeprefix(_FACTS)}=…" for name in facts]
    return f"made up: {made_up}; give what is real in a file with -f" + (
        f", or with {' '.join(options)}" if options else ""
    )


def _include_of(name: str, files: _WatchedFiles) -> str:
    """File and line of the class that includes this one."""
    includes = (
        (loaded, written)
        for loaded in files.loaded
        for written in files.load(loaded).classes
        if pattern_of(absolute_name(written, files.folder(loaded))).fullmatch(name)
    )
    # What is spelled out fits better than what any reference might stand for.
    loaded, written = max(includes, key=lambda one: literal_length(one[1]), default=("", ""))
    if not loaded:
        return ""
    file = files.path(loaded)
    return f"{file}:{_line_of(file, written)}"


def _line_of(file: Path, written: str) -> int:
    text = file.read_bytes()
    content: dict[str, Any] = yaml.load(text, name=str(file))
    return yaml.line_at(text, [0, "classes", content["classes"].index(written)])


def _by_reference(hierarchy: Hierarchy, *, missing_ok: bool) -> Parameters:
    """The same by reclass-rs, which wants everything in one folder."""
    with tempfile.TemporaryDirectory(prefix="commodore-inventory-") as scratch:
        folder = Path(scratch).resolve()
        for prefix, given in hierarchy.entries:
            source, place = given.absolute(), folder / "classes" / prefix
            link(place if source.is_dir() else place.with_name(f"{place.name}.yml"), source)
        for name, content in hierarchy.generated.items():
            place = folder / "classes" / f"{name.replace('.', '/')}.yml"
            write_if_changed(place, content)
        target = yaml.dump(hierarchy.target)
        write_if_changed(folder / "targets" / f"{hierarchy.target_name}.yml", target)
        try:
            nodes = isolated.call(_RENDER_FOLDER, str(folder), missing_ok, forward=True)
        except CommodoreError as error:
            # The scratch folder is gone when this is read.
            message = str(error).replace(f"{folder}/", "")
            raise CommodoreError(message, where=error.where, hint=error.hint) from error
    parameters: Parameters = nodes[hierarchy.target_name]["parameters"]
    return parameters
