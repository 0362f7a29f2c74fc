"""Effects of one line of a class file on parameters and targets, directly and by reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import yaml

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.values import Map, Reference, Sequence, Token
from commodore_py.inventory.paths import dotted
from commodore_py.model.problem import Place

from .hierarchy import compiled_hierarchy
from .lookups import written_as
from .places import fields_of, items_of, paths_at
from .steps import ABSENT, Layer, Step

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.model.spot import ParameterPath

    from .hierarchy import Hierarchy
    from .lookups import Lookup
    from .replay import Replay

VALUE, PART, OVERRIDDEN, REFERENCE, CLASS = "value", "part", "overridden", "reference", "class"
# A value that refers to itself from inside has paths without end.
_DEEPEST, _MOST = 20, 10_000


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of a line."""

    kind: str
    """value: it is the final one; part: it is merged with others; overridden: later layers win;
    reference: another parameter looks it up; class: it decides which class is included"""
    parameter: str
    """The parameter, or the class as it is written."""
    through: str = ""
    """The reference, for an effect by reference."""
    place: Place | None = None
    """The place of that reference."""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineEffects:
    """A line and all its effects."""

    place: Place
    text: str
    """The line itself."""
    sets: tuple[str, ...]
    """The parameters that it sets."""
    lists: str
    """The class or application that it lists, if it does."""
    targets: tuple[str, ...]
    """The targets that include the file."""
    all_targets: int
    effects: tuple[Effect, ...]


def effects_of_line(paths: WorkPaths, file: Path, line: int) -> LineEffects:
    """The parameters and targets that a line of a class or target file affects."""
    hierarchy = compiled_hierarchy(paths)
    text = _text(hierarchy, file)
    lines = text.decode("utf-8", errors="replace").splitlines()
    place = Place(hierarchy.shown(file), line)
    if not 0 < line <= len(lines):
        raise CommodoreError(f"the file has {len(lines)} lines", where=str(place))
    parameters, lists = paths_at(text, line), _listed(text, line)
    if not parameters and not lists:
        raise CommodoreError(
            "this line sets no parameter and lists no class or application",
            where=f"{place}\n  {lines[line - 1].rstrip()}",
        )
    targets: list[str] = []
    holders: dict[str, list[Step]] = {}
    targets_by_effect: dict[Effect, list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        if not any(layer.file == place.file for layer in replay.layers):
            continue
        targets.append(target)
        search = _Search(replay, holders)
        for path in parameters:
            for effect in search.effects(path, place):
                targets_by_effect.setdefault(effect, []).append(target)
        replay.forget_steps()
    effects = tuple(
        replace(effect, targets=tuple(names)) for effect, names in targets_by_effect.items()
    )
    return LineEffects(
        place,
        lines[line - 1].strip(),
        tuple(map(dotted, parameters)),
        lists,
        tuple(targets),
        len(hierarchy.targets),
        effects,
    )


def _text(hierarchy: Hierarchy, file: Path) -> bytes:
    real = file.resolve()
    for name in hierarchy.files.names():
        if hierarchy.files.path(name).resolve() == real:
            return hierarchy.files.text(name)
    shown = hierarchy.shown(file)
    for target, text in hierarchy.targets.items():
        if hierarchy.target_file(target) == shown:
            return text
    raise CommodoreError(
        "the file is not a class or target of the inventory" if file.is_file() else "no such file",
        where=str(file),
        hint="name a file below inventory/ or dependencies/",
    )


def _listed(text: bytes, line: int) -> str:
    fields = fields_of(text)
    for field, what in (("classes", "class"), ("applications", "application")):
        for name, at in items_of(fields.get(field)):
            if at == line:
                return f"{what} {name}"
    return ""


class _Search:
    """Finds the effects of a line in one target.

    Strings with references are searched in each file once for all targets: `holders`.
    """

    def __init__(self, replay: Replay, holders: dict[str, list[Step]]) -> None:
        self._replay = replay
        self._holders = holders

    def effects(self, path: ParameterPath, place: Place) -> Iterator[Effect]:
        """The effects of a line that sets a parameter."""
        steps = self._replay.follow(path)
        own_steps = [
            step
            for step in steps
            if step.layer.file == place.file and step.place.line <= place.line
        ]
        if not own_steps:
            return
        kind = self._kind(steps, own_steps[-1])
        yield Effect(kind, dotted(path))
        if kind != OVERRIDDEN:
            yield from self._by_reference(path)

    def _by_reference(self, path: ParameterPath) -> Iterator[Effect]:
        """The parameters that look a parameter up, and those that look up these."""
        waiting, seen = [path], {path}
        while waiting:
            changed = waiting.pop(0)
            for use in self._uses.get(changed[0], ()):
                common = min(len(use.path), len(changed))
                if use.path[:common] != changed[:common]:
                    continue
                holder = use.holder
                if not holder.at:
                    yield Effect(CLASS, holder.value.text, use.written, holder.place)
                    continue
                is_whole = len(holder.value.parts) == 1
                at = (*holder.at, *(changed[len(use.path) :] if is_whole else ()))
                if len(at) > _DEEPEST or len(seen) > _MOST:
                    continue
                if at not in seen and self._counts(holder.at, use.layer):
                    seen.add(at)
                    waiting.append(at)
                    yield Effect(REFERENCE, dotted(at), use.written, holder.place)

    def _counts(self, path: ParameterPath, layer: Layer) -> bool:
        """Test that the value with the reference is not overridden."""
        if len(self._replay.layers_with(path[0])) == 1:
            return True
        steps = self._replay.follow(path)
        own_steps = [step for step in steps if step.layer is layer]
        return not own_steps or self._kind(steps, own_steps[-1]) != OVERRIDDEN

    def _kind(self, steps: tuple[Step, ...], own_step: Step) -> str:
        live = self._replay.since_reset(steps)
        if not any(own_step is step for step in live):
            return OVERRIDDEN
        if type(steps[-1].after) in (Map, list, Sequence):
            return VALUE if len(live) == 1 else PART
        setting = [step for step in live if step.value is not ABSENT]
        return VALUE if setting and setting[-1] is own_step else OVERRIDDEN

    @cached_property
    def _uses(self) -> dict[Hashable, list[_Use]]:
        """The references of the target, by the top-level parameter that they look up."""
        uses: dict[Hashable, list[_Use]] = {}
        for layer in self._replay.layers:
            if layer.file not in self._holders:
                self._holders[layer.file] = list(_holders(layer, self._replay))
            for holder in self._holders[layer.file]:
                for written, path in self._looked_up(holder.value):
                    uses.setdefault(path[0], []).append(_Use(layer, holder, written, path))
        return uses

    def _looked_up(self, token: Token) -> Iterator[tuple[str, ParameterPath]]:
        """The references of a string, and what they look up in this target."""
        for part in token.parts:
            match part:
                case Reference((str() as text,)):
                    yield written_as(part), tuple(text.partition("::")[0].split(":"))
                case Reference():
                    for lookup in _flat(self._replay.lookups(Token("", (part,)))):
                        if lookup.path and not lookup.default:
                            yield lookup.written, lookup.path


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference in a string."""

    layer: Layer
    holder: Step
    """The string: a value, or the name of a class at the empty path."""
    written: str
    path: ParameterPath


def _holders(layer: Layer, replay: Replay) -> Iterator[Step]:
    classes = layer.fields.get("classes")
    for node in classes.value if isinstance(classes, yaml.SequenceNode) else ():
        token = parse(node.value) if isinstance(node, yaml.ScalarNode) else None
        if isinstance(token, Token):
            yield Step(layer, (), token, node)
    yield from replay.tokens_in(layer.whole())


def _flat(lookups: Iterable[Lookup]) -> Iterator[Lookup]:
    for lookup in lookups:
        yield from _flat(lookup.inner)
        yield lookup
