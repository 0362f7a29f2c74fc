"""Instances that a change affects: by what each of them read in the last compile."""

from __future__ import annotations

import glob
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.cache import instances as instance_reads
from commodore_py.cache.questions.base import FileChange, ParameterChange
from commodore_py.cache.up_to_date.last_run import are_reads_outdated
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import BOOTSTRAP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.cache.instances import InstanceReads
    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.file_effects import ChangedFiles, FileEffects

    from .changed_files import ChangedFile

log = logging.getLogger(__name__)

_HIERARCHY = (".yml", ".yaml")
_ALWAYS = ("kapitan", "commodore")
"""Parameters that decide what is compiled, and how it is filtered."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a change affects an instance."""

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class Affected:
    """An instance that a change affects."""

    instance: str
    component: str
    reasons: tuple[Reason, ...]


def affected(paths: WorkPaths, changes: Iterable[ChangedFile]) -> tuple[Affected, ...]:
    """The instances that these changes may affect, each with the first reason per file.

    `changes` is not read before it is known that there is something to go by.
    """
    instances = instance_reads.read(paths.state)
    if instances is None and not paths.state.is_dir():
        raise CommodoreError(
            "nothing was compiled here",
            where=str(paths.root),
            hint="name the working directory: commodore -d FOLDER catalog affected …",
        )
    if instances is None:
        raise CommodoreError(
            "it is not known what the instances read",
            where=str(paths.state),
            hint="compile the cluster once, with the result cache",
        )
    if are_reads_outdated(paths.state):
        log.warning(
            "this is based on an older compile: the last one did not record what instances read",
            extra={"hint": "compile once with the native engine and without --no-cache"},
        )
    search = _Search(paths, instances)
    reasons: dict[str, list[Reason]] = {}
    for change in changes:
        shown = os.path.relpath(change.path, paths.root)
        for name, why in search.affected(change):
            reasons.setdefault(name, []).append(Reason(shown, why))
    return tuple(
        Affected(name, search.component_of(name), tuple(reasons[name])) for name in sorted(reasons)
    )


@dataclass(slots=True)
class _Search:
    paths: WorkPaths
    instances: Mapping[str, InstanceReads]
    _changed_files: ChangedFiles | None = None
    _real: dict[str, str] = field(default_factory=dict)
    _requested: dict[str, str] = field(default_factory=dict)

    def component_of(self, name: str) -> str:
        """The component of an instance, which may not be compiled yet."""
        known = self.instances.get(name)
        return known.component if known is not None else self._requested[name]

    def affected(self, change: ChangedFile) -> Iterator[tuple[str, str]]:
        """The instances that a changed file affects, and why."""
        in_hierarchy = change.path.suffix in _HIERARCHY
        effects = self._effects(change) if in_hierarchy else None
        requested = effects.requested if effects is not None else {}
        self._requested.update(requested)
        yield from ((name, "it is added to the applications or removed") for name in requested)
        changed = FileChange(
            self._realpath(str(change.path)), change.kind != "modified", self._realpath
        )
        for name, reads in self.instances.items():
            if name in requested:
                continue
            why = self._by_file(reads, changed)
            if not why and effects is not None:
                why = next(_by_parameters(name, reads, effects), "")
            if not why and in_hierarchy and effects is None and changed.comes_or_goes:
                why = self._by_coming_and_going(reads, changed.path)
            if why:
                yield name, why

    def _effects(self, change: ChangedFile) -> FileEffects | None:
        if not change.path.is_file():
            return None
        if self._changed_files is None:
            from commodore_py.inventory.explain.file_effects import ChangedFiles

            self._changed_files = ChangedFiles(self.paths)
        return self._changed_files.effects(change.path, change.before)

    def _by_file(self, reads: InstanceReads, change: FileChange) -> str:
        for question in reads.questions:
            why = question.affected_by(change)
            if why:
                return why
        if any(self._is_input(pattern, change) for pattern in reads.inputs):
            return "its entries name it"
        checkout = self._realpath(reads.checkout) if reads.checkout else ""
        if checkout and change.path.startswith(f"{checkout}/"):
            inner = change.path.removeprefix(f"{checkout}/")
            if reads.unrecorded:
                return _unrecorded(reads)
            if inner.startswith("postprocess/"):
                return "filters of its component"
            if "jsonnetfile." in inner:
                return "it lists the libraries of its component"
        return ""

    def _is_input(self, pattern: str, change: FileChange) -> bool:
        for folder in (self.paths.vendor, self.paths.root):
            path = os.path.normpath(folder / pattern)
            if glob.has_magic(path):
                if change.matches(path):
                    return True
            elif change.path == (real := self._realpath(path)) or change.path.startswith(
                f"{real}/"
            ):
                return True
        return False

    def _by_coming_and_going(self, reads: InstanceReads, path: str) -> str:
        """A class that was added or removed: it was not included, or cannot be any more."""
        classes = self._realpath(str(self.paths.classes))
        if path.startswith(f"{classes}/"):
            return "it is added to the hierarchy or removed from it"
        checkout = self._realpath(reads.checkout) if reads.checkout else ""
        if checkout and path.startswith(f"{checkout}/class/"):
            return "it is added to the classes of its component or removed from them"
        return ""

    def _realpath(self, path: str) -> str:
        if path not in self._real:
            self._real[path] = os.path.realpath(path)
        return self._real[path]


def _by_parameters(name: str, reads: InstanceReads, effects: FileEffects) -> Iterator[str]:
    """Why an instance may compile to something else with other parameters."""
    lists = bool(effects.requested)
    change = ParameterChange(name, effects.targets, effects.parameters, effects.renamed, lists)
    if change.changed is None:
        if name in effects.targets:
            yield change.reason(name, None)
    else:
        yield from _by_origin(reads.component, change, effects)
        if name in effects.targets:
            yield from (change.uses(key) for key in _ALWAYS if key in change.changed)
            if reads.unrecorded:
                yield _unrecorded(reads)
    yield from filter(None, (question.affected_by(change) for question in reads.questions))


def _by_origin(component: str, change: ParameterChange, effects: FileEffects) -> Iterator[str]:
    changed = change.changed or {}
    if BOOTSTRAP not in effects.targets:
        return
    if "packages" in changed:
        yield change.uses("packages")
    if "components" in changed and effects.moves(component):
        yield f"it sets the source of component {component}"


def _unrecorded(reads: InstanceReads) -> str:
    return f"it may have read it: {reads.unrecorded[0]}"
