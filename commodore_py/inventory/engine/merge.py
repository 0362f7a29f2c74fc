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
    Unresolved,
    Value,
    is_broken,
    is_dynamic,
    kind_of,
    stacked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

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


def merge(layers: Iterable[Value]) -> Value:
    """The value of resolved layers, lowest first; raises what makes them incompatible."""
    return _merged(layers, _settled)


def surface(layers: Iterable[Value]) -> Value:
    """Layers merged just so far that a key can be looked up: what meets below stays unmerged."""
    return _merged(layers, lambda values: stacked(*values))


def _merged(layers: Iterable[Value], join: Callable[[list[Value]], Value]) -> Value:
    base: Value = None
    for layer in layers:
        base = _over(base, layer)
    return base.closed(join) if isinstance(base, _Merging) else base


def _settled(layers: list[Value]) -> Value:
    try:
        return merge(layers)
    except ResolveError as error:
        return Unresolved(error)


class _Merging:
    """A mapping whose layers are being collected."""

    __slots__ = ("constant", "keys", "overriding")

    def __init__(self, first: Map) -> None:
        self.keys: dict[Hashable, list[Value]] = {k: [v] for k, v in first.items.items()}
        self.constant = set(first.constant)
        self.overriding = set(first.overriding)

    def add(self, layer: Map) -> None:
        for key, value in layer.items.items():
            layers = self.keys.get(key)
            if layers is None:
                self.keys[key] = [value]
                if key in layer.overriding:
                    self.overriding.add(key)
            elif key in self.constant:
                raise ConstantKey.named(key)
            elif key in layer.overriding:
                layers[:] = [value]
            else:
                layers.append(value)
            if key in layer.constant:
                self.constant.add(key)

    def closed(self, join: Callable[[list[Value]], Value]) -> Map:
        """The mapping; `join` makes one value of the layers of a key."""
        items = {
            key: layers[0] if len(layers) == 1 else join(layers)
            for key, layers in self.keys.items()
        }
        return Map(
            items,
            frozenset(self.constant),
            frozenset(self.overriding),
            # Resolved lists stay `Sequence`s: a mapping that holds one is not static.
            static=not any(map(is_dynamic, items.values())),
            broken=any(map(is_broken, items.values())),
        )


def _over(base: Value, layer: Value) -> Value:
    if layer is None or base is None:
        return layer
    kind = type(base)
    if kind is Map or kind is _Merging:
        if type(layer) is not Map:
            raise Conflict(f"{kind_of(layer)} cannot be merged over a mapping")
        merging = base if kind is _Merging else _Merging(base)
        merging.add(layer)
        return merging
    if kind is list or kind is Sequence:
        if type(layer) is not list and type(layer) is not Sequence:
            raise Conflict(f"{kind_of(layer)} cannot be merged over a list")
        return _joined(base, layer)
    is_container = type(layer) in (Map, list, Sequence)
    if kind is Unresolved:
        if is_container:
            raise base.error
        log.debug("a value that cannot be resolved is overwritten: %s", base.error)
    elif is_container:
        raise Conflict(f"{kind_of(layer)} cannot be merged over {kind_of(base)}")
    return layer


def _joined(base: Value, layer: Value) -> Value:
    lower = base.items if type(base) is Sequence else base
    upper = layer.items if type(layer) is Sequence else layer
    items = [*lower, *upper]
    return items if type(base) is list and type(layer) is list else Sequence(items)
