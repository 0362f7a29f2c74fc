"""What a class adds to a state, with all that it includes: recorded once, and added again.

Class lists of targets part where one has the defaults of an instance, and go on with the same
classes, thousands of them where a tenant has many. What these add is the same as long as all that
they depend on is: classes that were merged before, and parameters that class names refer to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .values import MISSING, Stack, Value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from .reader import Applications, ClassFile


class Addition(NamedTuple):
    """What one class has added, and what that depends on."""

    parameters: tuple[tuple[Hashable, Value, bool], ...]
    """The layers of each parameter, and whether they replace those that are there."""
    constant: frozenset[Hashable]
    applications: tuple[Applications, ...]
    includes: tuple[str, ...]
    seen: int
    """A bit for each class that was merged."""
    examined: int
    """A bit for each class that was asked for."""
    seen_before: int
    looked_up: tuple[tuple[str, Value], ...]
    """Parameters that class names refer to, with their layers."""

    def fits(
        self, seen: int, parameters: Mapping[Hashable, Value], constant: frozenset[Hashable]
    ) -> bool:
        """Whether nothing that it depends on is different in a state."""
        get = parameters.get
        return (
            seen & self.examined == self.seen_before
            and all(get(name, MISSING) is value for name, value in self.looked_up)
            and (not constant or constant.isdisjoint(key for key, _, _ in self.parameters))
        )


class Recording:
    """An addition while its class is merged."""

    __slots__ = (
        "_applications",
        "_before",
        "_constant",
        "_examined",
        "_includes",
        "_layers",
        "_looked_up",
        "_replaced",
        "complete",
    )

    def __init__(self) -> None:
        self.complete = True
        """False if something was merged that is not recorded."""
        self._before: dict[Hashable, Value] = {}
        self._layers: dict[Hashable, list[Value]] = {}
        self._replaced: set[Hashable] = set()
        self._constant: frozenset[Hashable] = frozenset()
        self._applications: list[Applications] = []
        self._includes: list[str] = []
        self._examined = 0
        self._looked_up: dict[str, Value] = {}

    def examined(self, bit: int) -> None:
        """Note that it was asked whether a class was merged already."""
        self._examined |= bit

    def looked_up(self, names: Iterable[str], parameters: Mapping[Hashable, Value]) -> None:
        """Note what a class name refers to, as it was before anything was added."""
        for name in names:
            known = self._before if name in self._before else parameters
            self._looked_up[name] = known.get(name, MISSING)

    def merged(
        self, content: ClassFile, included: tuple[str, ...], before: Mapping[Hashable, Value]
    ) -> None:
        """Note what a file adds to these parameters."""
        parameters = content.parameters
        for key, value in parameters.items.items():
            layers = self._layers.get(key)
            if layers is None:
                self._before[key] = before.get(key, MISSING)
                layers = self._layers[key] = []
            if key in parameters.overriding:
                self._replaced.add(key)
                layers.clear()
            layers.append(value)
        self._constant = self._constant.union(parameters.constant)
        if content.applications.names or content.applications.removals:
            self._applications.append(content.applications)
        self._includes += included

    def closed(self, seen_before: int, seen: int) -> Addition:
        """All that was added, between two sets of classes."""
        return Addition(
            parameters=tuple(
                (key, _as_one(layers), key in self._replaced)
                for key, layers in self._layers.items()
            ),
            constant=self._constant,
            applications=tuple(self._applications),
            includes=tuple(self._includes),
            seen=seen & ~seen_before,
            examined=self._examined,
            seen_before=seen_before & self._examined,
            looked_up=tuple(self._looked_up.items()),
        )


def _as_one(layers: list[Value]) -> Value:
    first, *others = layers
    if not others:
        return first
    stacked = [layer.layers if isinstance(layer, Stack) else (layer,) for layer in layers]
    return Stack(tuple(one for several in stacked for one in several))
