"""What one line of a class file reaches: parameters and targets, directly and by reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .places import Place, fields_of, items_of, paths_at
from .references import parse
from .tracing import ABSENT, Tracer, dotted
from .values import Map, Sequence, Token

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .places import ParameterPath
    from .replay import Hierarchy, Layer, Replay
    from .tracing import Lookup, Step

VALUE, PART, OVERRIDDEN, REFERENCE, CLASS = "value", "part", "overridden", "reference", "class"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a line comes to in some targets."""

    kind: str
    """value: it is the final one; part: it is merged with others; overridden: later layers win;
    reference: another parameter looks it up; class: it decides which class is included"""
    parameter: str
    """The parameter, or the class as it is written."""
    targets: tuple[str, ...]
    through: str = ""
    """The reference, if it takes one."""
    place: Place | None = None
    """Where that reference stands."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a line shows."""

    place: Place
    says: str
    """The line itself."""
    sets: tuple[str, ...]
    """The parameters that it sets."""
    lists: str
    """The class or application that it lists, if it does."""
    targets: tuple[str, ...]
    """The targets that include the file."""
    all_targets: int
    effects: tuple[Effect, ...]


def reached(hierarchy: Hierarchy, file: Path, line: int) -> Reach:
    """What a line of a class or target file reaches."""
    text = _text(hierarchy, file)
    lines = text.decode("utf-8", errors="replace").splitlines()
    place = Place(hierarchy.shown(file), line)
    if not 0 < line <= len(lines):
        raise CommodoreError(f"the file has {len(lines)} lines", where=str(place))
    paths, lists = paths_at(text, line), _listed(text, line)
    if not paths and not lists:
        raise CommodoreError(
            "this line sets no parameter and lists no class or application",
            where=f"{place}\n  {lines[line - 1].rstrip()}",
        )
    targets: list[str] = []
    found: dict[tuple[str, str, str, Place | None], list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        layers = [layer for layer in replay.layers if layer.file == place.file]
        if not layers:
            continue
        targets.append(target)
        search = _Search(replay)
        for path in paths:
            for effect in search.effects(path, layers, line):
                found.setdefault(effect, []).append(target)
    effects = tuple(
        Effect(kind, parameter, tuple(names), through, where)
        for (kind, parameter, through, where), names in found.items()
    )
    sets = tuple(dotted(path) for path in paths)
    says = lines[line - 1].strip()
    return Reach(place, says, sets, lists, tuple(targets), len(hierarchy.targets), effects)


class _Search:
    """Looks for what a parameter reaches in one target."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._tracer = Tracer(replay)
        self._texts: list[tuple[Step, tuple[Lookup, ...]]] | None = None

    def effects(
        self, path: ParameterPath, layers: list[Layer], line: int
    ) -> Iterator[tuple[str, str, str, Place | None]]:
        """What a line for a parameter comes to."""
        steps = self._tracer.follow(path)
        own = [step for step in steps if step.layer in layers and step.place.line <= line]
        if not own:
            return
        live = self._tracer.since_reset(steps)
        kind = _kind(steps[-1], live, own[-1])
        yield kind, dotted(path), "", None
        if kind != OVERRIDDEN:
            yield from self._followers(path)

    def _followers(self, path: ParameterPath) -> Iterator[tuple[str, str, str, Place | None]]:
        """Who looks a parameter up, and who looks those up."""
        waiting, seen = [path], {path}
        while waiting:
            changed = waiting.pop(0)
            for step, lookups in self._all_texts():
                for lookup in lookups:
                    at = _affected(step, lookup, changed)
                    if at is None or at in seen or not self._counts(step):
                        continue
                    seen.add(at)
                    waiting.append(at)
                    yield REFERENCE, dotted(at), lookup.written, step.place
            yield from self._classes(changed)

    def _classes(self, changed: ParameterPath) -> Iterator[tuple[str, str, str, Place | None]]:
        for layer in self._replay.layers:
            for name, line in items_of(layer.fields.get("classes")):
                for lookup in self._flat(parse(name)):
                    if _overlap(lookup.path, changed):
                        yield CLASS, name, lookup.written, Place(layer.file, line)

    def _all_texts(self) -> list[tuple[Step, tuple[Lookup, ...]]]:
        if self._texts is None:
            self._texts = [
                (text, tuple(self._flat(text.value)))
                for step in self._tracer.follow(())
                for text in self._tracer.texts_in(step)
            ]
        return self._texts

    def _flat(self, value: object) -> Iterator[Lookup]:
        waiting = list(self._tracer.lookups(value)) if type(value) is Token else []
        while waiting:
            lookup = waiting.pop(0)
            waiting += lookup.inner
            if not lookup.default:
                yield lookup

    def _counts(self, text: Step) -> bool:
        """Whether a text is not overridden."""
        steps = self._tracer.follow(text.at)
        live = self._tracer.since_reset(steps)
        own = [step for step in steps if step.layer is text.layer]
        return not own or _kind(steps[-1], live, own[-1]) != OVERRIDDEN


def _kind(last: Step, live: list[Step], own: Step) -> str:
    if not any(own is step for step in live):
        return OVERRIDDEN
    if type(last.after) in (Map, list, Sequence):
        return VALUE if len(live) == 1 else PART
    said = [step for step in live if step.value is not ABSENT]
    return VALUE if said and said[-1] is own else OVERRIDDEN


def _affected(step: Step, lookup: Lookup, changed: ParameterPath) -> ParameterPath | None:
    if not _overlap(lookup.path, changed):
        return None
    whole = type(step.value) is Token and len(step.value.parts) == 1
    return (*step.at, *changed[len(lookup.path) :]) if whole else step.at


def _overlap(one: ParameterPath, other: ParameterPath) -> bool:
    common = min(len(one), len(other))
    return bool(one) and one[:common] == other[:common]


def _listed(text: bytes, line: int) -> str:
    fields = fields_of(text)
    for field, what in (("classes", "class"), ("applications", "application")):
        for name, at in items_of(fields.get(field)):
            if at == line:
                return f"{what} {name}"
    return ""


def _text(hierarchy: Hierarchy, file: Path) -> bytes:
    wanted = file.resolve()
    for name in hierarchy.files.names():
        if hierarchy.files.path(name).resolve() == wanted:
            return hierarchy.files.text(name)
    shown = hierarchy.shown(file)
    for target, text in hierarchy.targets.items():
        if hierarchy.target_file(target) == shown:
            return text
    raise CommodoreError(
        "this is no class or target of the inventory" if file.is_file() else "no such file",
        where=str(file),
        hint="name a file below inventory/ or dependencies/",
    )
