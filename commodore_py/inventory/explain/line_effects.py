"""What one line of a class file affects: parameters and targets, directly and by reference."""

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
    from typing import TypeAlias

    from commodore_py.config import WorkPaths
    from commodore_py.model.spot import ParameterPath

    from .lookups import Lookup
    from .replay import Hierarchy, Layer, Replay
    from .tracer import Step

VALUE, PART, OVERRIDDEN, REFERENCE, CLASS = "value", "part", "overridden", "reference", "class"

# Kind, parameter, reference and its place: an effect in one target.
_Found: TypeAlias = "tuple[str, str, str, Place | None]"


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
    found: dict[_Found, list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        layers = [layer for layer in replay.layers if layer.file == place.file]
        if not layers:
            continue
        targets.append(target)
        search = _Search(replay, uses)
        for path in parameters:
            for effect in search.effects(path, layers, line):
                found.setdefault(effect, []).append(target)
    effects = tuple(
        Effect(kind, parameter, tuple(names), through, where)
        for (kind, parameter, through, where), names in found.items()
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
    wanted = file.resolve()
    for name in hierarchy.files.names():
        if hierarchy.files.path(name).resolve() == wanted:
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

    def effects(self, path: ParameterPath, layers: list[Layer], line: int) -> Iterator[_Found]:
        """The effects of a line that sets a parameter."""
        steps = self._tracer.follow(path)
        own = [step for step in steps if step.layer in layers and step.place.line <= line]
        if not own:
            return
        kind = self._kind(steps, own[-1])
        yield kind, dotted(path), "", None
        if kind != OVERRIDDEN:
            yield from self._by_reference(path)

    def _by_reference(self, path: ParameterPath) -> Iterator[_Found]:
        """The parameters that look a parameter up, and those that look up these."""
        waiting, seen = [path], {path}
        while waiting:
            changed = waiting.pop(0)
            for layer, use in self._uses.get(changed[0], ()):
                if not _overlap(use.path, changed):
                    continue
                if not use.at:
                    yield CLASS, use.text, use.written, use.place
                    continue
                at = (*use.at, *changed[len(use.path) :]) if use.whole else use.at
                if at not in seen and self._counts(use, layer):
                    seen.add(at)
                    waiting.append(at)
                    yield REFERENCE, dotted(at), use.written, use.place

    def _counts(self, use: _Use, layer: Layer) -> bool:
        """Whether the value with the reference is not overridden."""
        if len(self._replay.layers_with(use.at[0])) == 1:
            return True
        steps = self._tracer.follow(use.at)
        own = [step for step in steps if step.layer is layer]
        return not own or self._kind(steps, own[-1]) != OVERRIDDEN

    def _kind(self, steps: tuple[Step, ...], own: Step) -> str:
        live = self._tracer.since_reset(steps)
        if not any(own is step for step in live):
            return OVERRIDDEN
        if type(steps[-1].after) in (Map, list, Sequence):
            return VALUE if len(live) == 1 else PART
        setting = [step for step in live if step.value is not ABSENT]
        return VALUE if setting and setting[-1] is own else OVERRIDDEN


def _overlap(one: ParameterPath, other: ParameterPath) -> bool:
    common = min(len(one), len(other))
    return bool(one) and one[:common] == other[:common]


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference in a value, or in the name of a class."""

    written: str
    path: ParameterPath
    at: ParameterPath
    """The parameter with the value; empty for the name of a class."""
    text: str
    whole: bool
    """Whether the value is the reference alone."""
    place: Place


class _Uses:
    """The references of all layers; each file is searched once for all targets."""

    def __init__(self) -> None:
        # By file: uses by the parameter looked up, and strings with nested references: what these
        # look up depends on the target.
        self._known: dict[
            str,
            tuple[dict[Hashable, list[_Use]], list[tuple[Token, ParameterPath, Place]]],
        ] = {}

    def of(
        self, layers: Iterable[Layer], tracer: Tracer
    ) -> dict[Hashable, list[tuple[Layer, _Use]]]:
        """The references in a target, by the top-level parameter that they look up."""
        found: dict[Hashable, list[tuple[Layer, _Use]]] = {}
        for layer in layers:
            if layer.file not in self._known:
                self._known[layer.file] = _uses_in(layer, tracer)
            by_key, nested = self._known[layer.file]
            for key, uses in by_key.items():
                found.setdefault(key, []).extend([(layer, use) for use in uses])
            for token, at, place in nested:
                for lookup in _flat(tracer.lookups(token)):
                    if lookup.path and not lookup.default:
                        use = _use(lookup.written, lookup.path, token, at, place)
                        found.setdefault(lookup.path[0], []).append((layer, use))
        return found


def _uses_in(
    layer: Layer, tracer: Tracer
) -> tuple[dict[Hashable, list[_Use]], list[tuple[Token, ParameterPath, Place]]]:
    by_key: dict[Hashable, list[_Use]] = {}
    nested: list[tuple[Token, ParameterPath, Place]] = []
    for token, at, place in _tokens(layer, tracer):
        references = [part for part in token.parts if isinstance(part, Reference)]
        paths = [path for path in map(_path, references) if path]
        if len(paths) < len(references):
            nested.append((token, at, place))
            continue
        for reference, path in zip(references, paths, strict=True):
            use = _use(written_as(reference), path, token, at, place)
            by_key.setdefault(path[0], []).append(use)
    return by_key, nested


def _tokens(layer: Layer, tracer: Tracer) -> Iterator[tuple[Token, ParameterPath, Place]]:
    for name, line in items_of(layer.fields.get("classes")):
        token = parse(name)
        if isinstance(token, Token):
            yield token, (), Place(layer.file, line)
    for step in tracer.tokens_of(layer):
        yield step.value, step.at, step.place


def _use(written: str, path: ParameterPath, token: Token, at: ParameterPath, place: Place) -> _Use:
    return _Use(written, path, at, token.text, len(token.parts) == 1, place)


def _path(reference: Reference) -> ParameterPath:
    """The path that a reference looks up; empty if it depends on a nested reference."""
    (first, *rest) = reference.parts
    if rest or not isinstance(first, str):
        return ()
    return tuple(first.partition("::")[0].split(":"))


def _flat(lookups: Iterable[Lookup]) -> Iterator[Lookup]:
    for lookup in lookups:
        yield from _flat(lookup.inner)
        yield lookup
