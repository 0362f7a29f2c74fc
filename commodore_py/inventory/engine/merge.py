"""Merge the layers of one parameter to one value, by reclass's rules (pure).

The layers are resolved already. Each key is merged over all layers at once, not two by two: a
third layer does not resolve a conflict between the first two.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from .values import (
    Map,
    ResolveError,
    Sequence,
    Stack,
    Unresolved,
    Value,
    is_broken,
    is_dynamic,
    kind_of,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

log = logging.getLogger(__name__)


class Conflict(ResolveError):
    """Two layers whose kinds of values cannot be merged."""


class ConstantKey(ResolveError):
    """A key that a lower layer made constant is set again."""

    key: Hashable

    @classmethod
    def named(cls, key: Hashable) -> ConstantKey:
        """Keep the key."""
        error = cls(f"constant key {key} cannot be overwritten")
        error.key = key
        return error


class _Merging:
    """A mapping whose layers are being collected."""

    __slots__ = ("constant", "keys", "overriding")

    def __init__(self, first: Map) -> None:
        self.keys: dict[Hashable, list[Value]] = {k: [v] for k, v in first.items.items()}
        self.constant = set(first.constant)
        self.overriding = set(first.overriding)

    def add(self, layer: Map) -> None:
        for key, value in layer.items.items():
            known = self.keys.get(key)
            if known is None:
                self.keys[key] = [value]
                if key in layer.overriding:
                    self.overriding.add(key)
            elif key in self.constant:
                raise ConstantKey.named(key)
            elif key in layer.overriding:
                known[:] = [value]
            else:
                known.append(value)
            if key in layer.constant:
                self.constant.add(key)

    def close(self, cache: LayerCache) -> Map:
        made = Map()
        for key, layers in self.keys.items():
            made.items[key] = layers[0] if len(layers) == 1 else _settled(layers, cache)
        made.constant, made.overriding = frozenset(self.constant), frozenset(self.overriding)
        made.broken = any(is_broken(value) for value in made.items.values())
        # Resolved lists stay `Sequence`s; a map that holds one is rebuilt per target.
        made.static = not any(is_dynamic(value) for value in made.items.values())
        return made

    def surface(self) -> Map:
        """The mapping with what meets below its keys still unmerged."""
        made = Map()
        for key, (first, *others) in self.keys.items():
            value = first
            for other in others:
                value = (value if isinstance(value, Stack) else Stack((value,))).plus(other)
            made.items[key] = value
        made.constant, made.overriding = frozenset(self.constant), frozenset(self.overriding)
        made.static = not any(is_dynamic(value) for value in made.items.values())
        return made


class LayerCache:
    """Layers that were merged before: shared values meet again in every target."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        # The layers stay referenced beside the result: their identities are the key.
        self._known: dict[tuple[int, ...], tuple[tuple[Value, ...], Value]] = {}

    def merged(self, layers: list[Value]) -> Value:
        """The value of resolved layers, lowest first; raises what makes them incompatible."""
        if not all(_shareable(layer) for layer in layers):
            return merge(layers, self)
        key = tuple(map(id, layers))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (tuple(layers), merge(layers, self))
        return known[1]


def merge(layers: Iterable[Value], cache: LayerCache) -> Value:
    """The value of resolved layers, lowest first."""
    base: Value = None
    for layer in layers:
        base = _over(base, layer)
    return base.close(cache) if isinstance(base, _Merging) else base


def surface(layers: Iterable[Value]) -> Value:
    """Unresolved layers merged just so far that a key can be looked up in them."""
    base: Value = None
    for layer in layers:
        base = _over(base, layer)
    return base.surface() if isinstance(base, _Merging) else base


def _settled(layers: list[Value], cache: LayerCache) -> Value:
    try:
        return cache.merged(layers)
    except ResolveError as error:
        return Unresolved(error)


def _over(base: Value, layer: Value) -> Value:
    if layer is None or base is None:
        return layer
    kind = type(base)
    if kind is Map or kind is _Merging:
        if type(layer) is not Map:
            raise Conflict(f"{kind_of(layer)} cannot be merged over a mapping")
        gathered = base if kind is _Merging else _Merging(base)
        gathered.add(layer)
        return gathered
    if kind is list or kind is Sequence:
        if type(layer) is not list and type(layer) is not Sequence:
            raise Conflict(f"{kind_of(layer)} cannot be merged over a list")
        return _joined(base, layer)
    container = type(layer) in (Map, list, Sequence)
    if kind is Unresolved:
        if container:
            raise base.error
        log.debug("a value that cannot be resolved is overwritten: %s", base.error)
    elif container:
        raise Conflict(f"{kind_of(layer)} cannot be merged over {kind_of(base)}")
    return layer


def _joined(base: Value, layer: Value) -> Value:
    one = base.items if type(base) is Sequence else base
    other = layer.items if type(layer) is Sequence else layer
    both = [*one, *other]
    return both if type(base) is list and type(layer) is list else Sequence(both)


def _shareable(value: Value) -> bool:
    kind = type(value)
    return (kind is Map and value.static) or kind is list
