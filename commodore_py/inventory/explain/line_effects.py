"""What one line of a class file reaches: parameters and targets, directly and by reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import Map, Sequence
from commodore_py.inventory.paths import dotted

from .mentions import Mentions
from .places import Place, fields_of, items_of, paths_at
from .steps import ABSENT
from .tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.model.spot import ParameterPath

    from .mentions import Mention
    from .replay import Hierarchy, Layer, Replay
    from .steps import Step

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
    mentions = Mentions()
    found: dict[tuple[str, str, str, Place | None], list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        layers = [layer for layer in replay.layers if layer.file == place.file]
        if not layers:
            continue
        targets.append(target)
        search = _Search(replay, mentions)
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

    def __init__(self, replay: Replay, mentions: Mentions) -> None:
        self._replay = replay
        self._tracer = Tracer(replay)
        self._mentioned = mentions.of(replay.layers, self._tracer)

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
            for layer, mention in self._mentioned.get(changed[0], ()):
                if not _overlap(mention.path, changed):
                    continue
                if not mention.at:
                    yield CLASS, mention.text, mention.written, mention.place
                    continue
                at = _affected(mention, changed)
                if at not in seen and self._counts(mention, layer):
                    seen.add(at)
                    waiting.append(at)
                    yield REFERENCE, dotted(at), mention.written, mention.place

    def _counts(self, mention: Mention, layer: Layer) -> bool:
        """Whether a text is not overridden."""
        if len(self._replay.layers_with(mention.at[0])) == 1:
            return True
        steps = self._tracer.follow(mention.at)
        live = self._tracer.since_reset(steps)
        own = [step for step in steps if step.layer is layer]
        return not own or _kind(steps[-1], live, own[-1]) != OVERRIDDEN


def _kind(last: Step, live: list[Step], own: Step) -> str:
    if not any(own is step for step in live):
        return OVERRIDDEN
    if type(last.after) in (Map, list, Sequence):
        return VALUE if len(live) == 1 else PART
    said = [step for step in live if step.value is not ABSENT]
    return VALUE if said and said[-1] is own else OVERRIDDEN


def _affected(mention: Mention, changed: ParameterPath) -> ParameterPath:
    """The parameter that changes with another."""
    return (*mention.at, *changed[len(mention.path) :]) if mention.whole else mention.at


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
