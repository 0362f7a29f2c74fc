"""Texts with references, by the parameters that they look up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.values import Reference, Token

from .places import Place, items_of
from .steps import written_as

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from commodore_py.model.spot import ParameterPath

    from .replay import Layer
    from .steps import Lookup
    from .tracer import Tracer


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference in a text, or in the name of a class."""

    written: str
    path: ParameterPath
    at: ParameterPath
    """The parameter that holds the text; empty for the name of a class."""
    text: str
    whole: bool
    """Whether there is nothing else in the text."""
    place: Place


class _OfLayer:
    """What a layer mentions; paths that take a value to be known are found out per target."""

    def __init__(self, layer: Layer, tracer: Tracer) -> None:
        self.by_key: dict[Hashable, list[Mention]] = {}
        self.open: list[tuple[Token, ParameterPath, Place]] = []
        for token, at, place in _texts(layer, tracer):
            paths = [_path(part) for part in token.parts if isinstance(part, Reference)]
            if None in paths:
                self.open.append((token, at, place))
                continue
            for part in token.parts:
                path = _path(part) if isinstance(part, Reference) else None
                if path is not None and isinstance(part, Reference):
                    found = _mention(written_as(part), path, token, at, place)
                    self.by_key.setdefault(path[0], []).append(found)


class Mentions:
    """What the layers of targets mention; each file is looked through once for all targets."""

    def __init__(self) -> None:
        self._known: dict[str, _OfLayer] = {}

    def of(
        self, layers: Iterable[Layer], tracer: Tracer
    ) -> dict[Hashable, list[tuple[Layer, Mention]]]:
        """What the layers of a target mention, by top-level parameter."""
        found: dict[Hashable, list[tuple[Layer, Mention]]] = {}
        for layer in layers:
            known = self._known.get(layer.file)
            if known is None:
                known = self._known[layer.file] = _OfLayer(layer, tracer)
            for key, mentions in known.by_key.items():
                found.setdefault(key, []).extend([(layer, mention) for mention in mentions])
            for token, at, place in known.open:
                for lookup in _flat(tracer.lookups(token)):
                    if lookup.path and not lookup.default:
                        mention = _mention(lookup.written, lookup.path, token, at, place)
                        found.setdefault(lookup.path[0], []).append((layer, mention))
        return found


def _texts(layer: Layer, tracer: Tracer) -> Iterator[tuple[Token, ParameterPath, Place]]:
    for name, line in items_of(layer.fields.get("classes")):
        token = parse(name)
        if isinstance(token, Token):
            yield token, (), Place(layer.file, line)
    for step in tracer.texts_of(layer):
        yield step.value, step.at, step.place


def _mention(
    written: str, path: ParameterPath, token: Token, at: ParameterPath, place: Place
) -> Mention:
    return Mention(written, path, at, token.text, len(token.parts) == 1, place)


def _path(reference: Reference) -> ParameterPath | None:
    """What a reference looks up, if no other reference in it has a say."""
    (first, *rest) = reference.parts
    if rest or not isinstance(first, str):
        return None
    return tuple(first.partition("::")[0].split(":"))


def _flat(lookups: Iterator[Lookup]) -> Iterator[Lookup]:
    for lookup in lookups:
        yield from _flat(iter(lookup.inner))
        yield lookup
