"""Effects of one line of a class file on parameters and targets, directly and by reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.values import Map, Reference, Sequence, Token
from commodore_py.inventory.paths import dotted

from .lookups import written_as
from .places import Place, fields_of, items_of, paths_at
from .replay import compiled_hierarchy
from .tracer import ABSENT, Tracer

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.model.spot import ParameterPath

    from .lookups import Lookup
    from .replay import Hierarchy, Layer, Replay
    from .tracer import Step

VALUE, PART, OVERRIDDEN, REFERENCE, CLASS = "value", "part", "overridden", "reference", "class"


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of a line in some targets."""

    kind: str
    """value: it is the final one; part: it is merged with others; overridden: later layers win;
    reference: another parameter looks it up; class: it decides which class is included"""
    parameter: str
    """The parameter, or the class as it is written."""
    targets: tuple[str, ...]
    through: str = ""
    """The reference, for an effect by reference."""
    place: Place | None = None
    """The place of that reference."""


@dataclass(frozen=True, slots=True)
class _TargetEffect:
    """An effect in one target."""

    kind: str
    parameter: str
    through: str = ""
    place: Place | None = None


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
    uses = _Uses()
    targets_by_effect: dict[_TargetEffect, list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        layers = [layer for layer in replay.layers if layer.file == place.file]
        if not layers:
            continue
        targets.append(target)
        search = _Search(replay, uses)
        for path in parameters:
            for effect in search.effects(path, layers, line):
                targets_by_effect.setdefault(effect, []).append(target)
    effects = tuple(
        Effect(effect.kind, effect.parameter, tuple(names), effect.through, effect.place)
        for effect, names in targets_by_effect.items()
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
    """Finds the effects of a parameter in one target."""

    def __init__(self, replay: Replay, uses: _Uses) -> None:
        self._replay = replay
        self._tracer = Tracer(replay)
        self._uses = uses.of(replay.layers, self._tracer)

    def effects(
        self, path: ParameterPath, layers: list[Layer], line: int
    ) -> Iterator[_TargetEffect]:
        """The effects of a line that sets a parameter."""
        steps = self._tracer.follow(path)
        own_steps = [step for step in steps if step.layer in layers and step.place.line <= line]
        if not own_steps:
            return
        kind = self._kind(steps, own_steps[-1])
        yield _TargetEffect(kind, dotted(path))
        if kind != OVERRIDDEN:
            yield from self._by_reference(path)

    def _by_reference(self, path: ParameterPath) -> Iterator[_TargetEffect]:
        """The parameters that look a parameter up, and those that look up these."""
        waiting, seen = [path], {path}
        while waiting:
            changed = waiting.pop(0)
            for layer, use in self._uses.get(changed[0], ()):
                if not _overlap(use.path, changed):
                    continue
                holder = use.holder
                if not holder.at:
                    yield _TargetEffect(CLASS, holder.token.text, use.written, holder.place)
                    continue
                rest = changed[len(use.path) :] if use.is_whole else ()
                at = (*holder.at, *rest)
                if at not in seen and self._counts(holder.at, layer):
                    seen.add(at)
                    waiting.append(at)
                    yield _TargetEffect(REFERENCE, dotted(at), use.written, holder.place)

    def _counts(self, path: ParameterPath, layer: Layer) -> bool:
        """Test that the value with the reference is not overridden."""
        if len(self._replay.layers_with(path[0])) == 1:
            return True
        steps = self._tracer.follow(path)
        own_steps = [step for step in steps if step.layer is layer]
        return not own_steps or self._kind(steps, own_steps[-1]) != OVERRIDDEN

    def _kind(self, steps: tuple[Step, ...], own_step: Step) -> str:
        live = self._tracer.since_reset(steps)
        if not any(own_step is step for step in live):
            return OVERRIDDEN
        if type(steps[-1].after) in (Map, list, Sequence):
            return VALUE if len(live) == 1 else PART
        setting = [step for step in live if step.value is not ABSENT]
        return VALUE if setting and setting[-1] is own_step else OVERRIDDEN


def _overlap(path: ParameterPath, other: ParameterPath) -> bool:
    common = min(len(path), len(other))
    return bool(path) and path[:common] == other[:common]


@dataclass(frozen=True, slots=True)
class _Holder:
    """A string with references: a value of a layer, or the name of a class."""

    token: Token
    at: ParameterPath
    """The parameter with the value; empty for the name of a class."""
    place: Place


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference in a string."""

    written: str
    path: ParameterPath
    holder: _Holder

    @property
    def is_whole(self) -> bool:
        """True if the string is the reference alone."""
        return len(self.holder.token.parts) == 1


@dataclass(frozen=True, slots=True)
class _FileUses:
    """The references of a file."""

    by_key: dict[Hashable, list[_Use]]
    """By the top-level parameter that they look up."""
    nested: list[_Holder]
    """Strings with references in references: what these look up depends on the target."""


class _Uses:
    """The references of all layers; each file is searched once for all targets."""

    def __init__(self) -> None:
        self._by_file: dict[str, _FileUses] = {}

    def of(
        self, layers: Iterable[Layer], tracer: Tracer
    ) -> dict[Hashable, list[tuple[Layer, _Use]]]:
        """The references in a target, by the top-level parameter that they look up."""
        uses_by_key: dict[Hashable, list[tuple[Layer, _Use]]] = {}
        for layer in layers:
            if layer.file not in self._by_file:
                self._by_file[layer.file] = _uses_in(layer, tracer)
            file_uses = self._by_file[layer.file]
            for key, uses in file_uses.by_key.items():
                uses_by_key.setdefault(key, []).extend([(layer, use) for use in uses])
            for holder in file_uses.nested:
                for lookup in _flat(tracer.lookups(holder.token)):
                    if lookup.path and not lookup.default:
                        use = _Use(lookup.written, lookup.path, holder)
                        uses_by_key.setdefault(lookup.path[0], []).append((layer, use))
        return uses_by_key


def _uses_in(layer: Layer, tracer: Tracer) -> _FileUses:
    file_uses = _FileUses({}, [])
    for holder in _holders(layer, tracer):
        references = [part for part in holder.token.parts if isinstance(part, Reference)]
        paths = [path for path in map(_path, references) if path]
        if len(paths) < len(references):
            file_uses.nested.append(holder)
            continue
        for reference, path in zip(references, paths, strict=True):
            use = _Use(written_as(reference), path, holder)
            file_uses.by_key.setdefault(path[0], []).append(use)
    return file_uses


def _holders(layer: Layer, tracer: Tracer) -> Iterator[_Holder]:
    for name, line in items_of(layer.fields.get("classes")):
        token = parse(name)
        if isinstance(token, Token):
            yield _Holder(token, (), Place(layer.file, line))
    for step in tracer.tokens_of(layer):
        yield _Holder(step.value, step.at, step.place)


def _path(reference: Reference) -> ParameterPath:
    """The path that a reference looks up; empty if it depends on a nested reference."""
    match reference.parts:
        case (str() as text,):
            return tuple(text.partition("::")[0].split(":"))
    return ()


def _flat(lookups: Iterable[Lookup]) -> Iterator[Lookup]:
    for lookup in lookups:
        yield from _flat(lookup.inner)
        yield lookup
