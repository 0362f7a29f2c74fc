"""Whom a change reaches: by what each instance looked at when it was compiled last."""

from __future__ import annotations

import fnmatch
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.compiler.inventory.imports import parts_of
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.unchanged import is_outdated, looked_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.file_effects import Touched, Touching
    from commodore_py.unchanged import Looked

    from .changed_files import ChangedFile

log = logging.getLogger(__name__)

_HIERARCHY = (".yml", ".yaml")
_ALWAYS = ("kapitan", "commodore")
"""Parameters that say what is compiled, and how it is filtered."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a change reaches an instance."""

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class Affected:
    """An instance that a change reaches."""

    instance: str
    component: str
    reasons: tuple[Reason, ...]


def affected(paths: WorkPaths, changes: Iterable[ChangedFile]) -> tuple[Affected, ...]:
    """The instances that these changes may reach, each with the first reason per file.

    Nothing is asked of `changes` before it is known that there is something to go by.
    """
    instances = looked_at(paths.state)
    if instances is None and not paths.state.is_dir():
        raise CommodoreError(
            "nothing was compiled here",
            where=str(paths.root),
            hint="name the working directory: commodore -d FOLDER catalog affected …",
        )
    if instances is None:
        raise CommodoreError(
            "it is not known what the instances look at",
            where=str(paths.state),
            hint="compile the cluster once, with the cache of results",
        )
    if is_outdated(paths.state):
        log.warning(
            "this goes by an older compile: the last one here did not note what instances look at",
            extra={"hint": "compile once without --no-cache, by our own engine"},
        )
    search = _Search(paths, instances)
    reasons: dict[str, list[Reason]] = {name: [] for name in instances}
    for change in changes:
        shown = os.path.relpath(change.path, paths.root)
        for name, why in search.reached(change):
            reasons[name].append(Reason(shown, why))
    return tuple(
        Affected(name, instances[name].component, tuple(found))
        for name, found in sorted(reasons.items())
        if found
    )


@dataclass(slots=True)
class _Search:
    paths: WorkPaths
    instances: Mapping[str, Looked]
    _touching: Touching | None = None
    _real: dict[str, str] = field(default_factory=dict)

    def reached(self, change: ChangedFile) -> Iterator[tuple[str, str]]:
        """The instances that a changed file reaches, and why."""
        in_hierarchy = change.path.suffix in _HIERARCHY
        touched = self._touched(change) if in_hierarchy else None
        for name, looked in self.instances.items():
            why = self._by_files(looked, change) or (
                _by_hierarchy(name, looked, touched) if touched is not None else ""
            )
            if not why and in_hierarchy and touched is None and change.kind != "modified":
                why = self._by_coming_and_going(looked, change)
            if why:
                yield name, why

    def _touched(self, change: ChangedFile) -> Touched | None:
        if not change.path.is_file():
            return None
        if self._touching is None:
            from commodore_py.inventory.explain.file_effects import Touching  # noqa: PLC0415 - not always needed

            self._touching = Touching(self.paths)
        return self._touching.touched(change.path, change.before)

    def _by_files(self, looked: Looked, change: ChangedFile) -> str:
        path = self._realpath(str(change.path))
        comes_or_goes = change.kind != "modified"
        for question in looked.questions:
            why = self._answers(question[0], question[1:], path, comes_or_goes=comes_or_goes)
            if why:
                return why
        for pattern in looked.inputs:
            if self._is_input(pattern, path):
                return "its entries name it"
        checkout = self._realpath(looked.checkout) if looked.checkout else ""
        if checkout and path.startswith(f"{checkout}/"):
            inner = path.removeprefix(f"{checkout}/")
            if looked.unsealed:
                return f"it may have looked at it: {looked.unsealed[0]}"
            if inner.startswith("postprocess/"):
                return "filters of its component"
            if "jsonnetfile." in inner:
                return "it says which libraries its component wants"
        return ""

    def _answers(self, kind: str, place: str, path: str, *, comes_or_goes: bool) -> str:
        match kind:
            case "r" | "e" if path == self._realpath(place):
                return "it is read"
            case "t" if path.startswith(f"{self._realpath(place)}/"):
                return "it is in a folder that is read"
            case "l" if comes_or_goes and path.rpartition("/")[0] == self._realpath(place):
                return "its folder is listed"
            case "k" if comes_or_goes and path == self._realpath(place):
                return "it is looked for"
            case "x" if comes_or_goes and fnmatch.fnmatchcase(path, self._real_pattern(place)):
                return "it is looked for"
        return ""

    def _is_input(self, pattern: str, path: str) -> bool:
        for folder in (self.paths.vendor, self.paths.root):
            place = os.path.normpath(folder / pattern)
            if any(sign in place for sign in "*?["):
                if fnmatch.fnmatchcase(path, self._real_pattern(place)):
                    return True
            elif path == (real := self._realpath(place)) or path.startswith(f"{real}/"):
                return True
        return False

    def _by_coming_and_going(self, looked: Looked, change: ChangedFile) -> str:
        """A class that is new or gone: nobody has included it, or nobody can any more."""
        classes = self._realpath(str(self.paths.classes))
        path = self._realpath(str(change.path))
        if path.startswith(f"{classes}/"):
            return "it comes or goes in the hierarchy"
        checkout = self._realpath(looked.checkout) if looked.checkout else ""
        if checkout and path.startswith(f"{checkout}/class/"):
            return "it comes or goes among the classes of its component"
        return ""

    def _realpath(self, path: str) -> str:
        if path not in self._real:
            self._real[path] = os.path.realpath(path)
        return self._real[path]

    def _real_pattern(self, pattern: str) -> str:
        folder, _, name = pattern.rpartition("/")
        return pattern if "*" in folder else f"{self._realpath(folder)}/{name}"


def _by_hierarchy(name: str, looked: Looked, touched: Touched) -> str:
    """Why an instance may compile to something else with other parameters."""
    return next(_by_parameters(name, looked, touched), "")


def _by_parameters(name: str, looked: Looked, touched: Touched) -> Iterator[str]:
    used = [one for one in _used(name, looked) if one[0] in touched.targets]
    changed = touched.parameters
    if changed is None:
        if used or name in touched.targets:
            yield "it decides about classes or applications"
        return
    if BOOTSTRAP in touched.targets:
        yield from _by_origin(looked.component, changed, touched)
    if name in touched.targets:
        yield from (_because(key, changed[key]) for key in _ALWAYS if key in changed)
        if looked.unsealed:
            yield f"it may have looked at it: {looked.unsealed[0]}"
    if any(target in touched.renamed for target in _named(name, looked)):
        yield "it looks at which parameters there are"
    for target, key in used:
        if key is None:
            yield f"it looks at all of {target}"
        elif key in changed:
            yield _because(key, changed[key]) + ("" if target == name else f" of {target}")


def _by_origin(component: str, changed: Mapping[str, str], touched: Touched) -> Iterator[str]:
    if "packages" in changed:
        yield _because("packages", changed["packages"])
    if "components" in changed and touched.about(component):
        yield f"it says where component {component} comes from"


def _because(key: str, source: str) -> str:
    return f"it uses {key}" if key == source else f"it uses {key}, which looks up {source}"


def _named(name: str, looked: Looked) -> Iterator[str]:
    """Targets of which an instance looked at the names of parameters."""
    for question in looked.questions:
        if question[0] == "i":
            match parts_of(question[1:]):
                case ["self"] | ["self", "parameters"]:
                    yield name
                case ["targets", target] | ["targets", target, "parameters"]:
                    yield target


def _used(name: str, looked: Looked) -> Iterator[tuple[str, str | None]]:
    """Parameters of targets that an instance looked at; None stands for all of them."""
    for question in looked.questions:
        kind, about = question[0], question[1:]
        if kind == "v":
            yield about, None
        elif kind == "I" and about.startswith("parameters."):
            yield name, about.removeprefix("parameters.")
        elif kind == "i":
            match parts_of(about):
                case ["self", "parameters", key]:
                    yield name, key
                case ["targets", target, "parameters", key]:
                    yield target, key
