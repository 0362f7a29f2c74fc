"""Resolve references: `${a:b}` in the values of one target, looked up in its parameters.

A value is resolved at most once per target and reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .merge import merge, surface
from .references import DEEPEST
from .texts import as_text
from .values import (
    Map,
    Reference,
    ResolveError,
    Sequence,
    Stack,
    Token,
    Unresolved,
    Value,
    is_broken,
    is_dynamic,
    kind_of,
)
from .yaml_values import read_default

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from .values import Layers, Part

MOST_VALUES = 2_000_000
"""Values that references may add to a target; 100 characters of a string count as one more."""
MOST_LEVELS = 250
"""How deep the value of a reference may be nested: what is deeper cannot be written."""

_CHARACTERS = 100
_NO_LOOP = DEEPEST * 2

# A path, its default, whether it is resolved as a whole, how deep, and the paths that led there.
_Attempt: TypeAlias = tuple[str, str | None, bool, int, tuple[str, ...]]


class KeyMissing(ResolveError):
    """A reference looks up a key that does not exist."""

    path: str
    key: str
    present: tuple[str, ...]

    @classmethod
    def at(cls, path: str, key: str, present: Iterable[Hashable]) -> KeyMissing:
        """Name the missing part of the path; keep the keys that exist instead."""
        error = cls(f"${{{path}}}: key {key} not found")
        error.path, error.key = path, key
        error.present = tuple(map(str, present))
        return error


class Loop(ResolveError):
    """References that look up each other in a loop."""

    def __init__(self, ring: list[str]) -> None:
        names = [f"${{{path}}}" for path in (*ring, ring[0])]
        super().__init__(f"references form a loop: {' -> '.join(names)}")
        self.ring = tuple(ring)


@dataclass(frozen=True, slots=True)
class _Known:
    """The value of a path."""

    value: Value
    visited: frozenset[str]
    height: int
    """How many references deep it went."""


@dataclass(frozen=True, slots=True)
class _Failure:
    """An attempt that failed."""

    error: ResolveError
    visited: frozenset[str]
    deepest: int
    loop: int


class Resolver:
    """Resolves values against the parameters of one target."""

    def __init__(self, parameters: Mapping[Hashable, Layers]) -> None:
        self._parameters = parameters
        self._known: dict[tuple[str, bool], _Known] = {}
        # Failures depend on the trail as well. Without this cache, failing layers would be resolved
        # twice as often with every reference between them.
        self._failed: dict[_Attempt, _Failure] = {}
        self._added = 0
        self._trail: list[str] = []
        self._depth = 0
        self._deepest = 0
        # Where on the trail the outermost loop begins that was met since this was last reset.
        self._loop = _NO_LOOP
        self.visited: set[str] = set()
        """Paths that were looked up since this was last emptied."""

    def looked_up(self) -> set[str]:
        """The top-level parameters of the paths that were visited."""
        return {path.partition(":")[0] for path in self.visited}

    def resolve(self, value: Value) -> Value:
        """The value with everything in it resolved; raises where that is impossible."""
        kind = type(value)
        if kind is Token:
            return self._token(value)
        if kind is Map:
            return value if value.static else self._map(value)
        if kind is Stack:
            return self._stack(value)
        if kind is Sequence:
            return Sequence([self.resolve(item) for item in value.items])
        return value

    def text(self, token: Token) -> str:
        """A text with its references replaced, as it stands in a class name."""
        return as_text(self._token(token))

    def _map(self, value: Map) -> Map:
        items: dict[Hashable, Value] = {}
        for key, child in value.items.items():
            try:
                items[key] = self.resolve(child)
            except ResolveError as error:
                items[key] = Unresolved(error)
        return Map(
            items,
            value.constant,
            value.overriding,
            static=not any(map(is_dynamic, items.values())),
            broken=any(map(is_broken, items.values())),
        )

    def _stack(self, value: Stack) -> Value:
        *lower, top = value.layers
        resolved = []
        for layer in lower:
            try:
                resolved.append(self.resolve(layer))
            except ResolveError as error:
                # An error only if no higher layer replaces it.
                resolved.append(Unresolved(error))
        return merge((*resolved, self.resolve(top)))

    def _token(self, token: Token) -> Value:
        if token.problem:
            raise ResolveError(token.problem)
        parts = token.parts
        if len(parts) == 1 and isinstance(parts[0], Reference):
            value = self._referenced(parts[0], whole=True)
            self._count(value)
            return value
        return "".join(map(self._part, parts))

    def _part(self, part: Part) -> str:
        if isinstance(part, str):
            return part
        value = self._referenced(part, whole=False)
        self._count(value)
        text = as_text(value)
        self._count(text)
        return text

    def _count(self, value: Value) -> None:
        """Count what a reference adds; doubled again and again it would fill the memory."""
        kind = type(value)
        if kind is str:
            self._added += len(value) // _CHARACTERS
        elif kind is Map or kind is Sequence or kind is list:
            size, levels = _size(value)
            self._added += size
            if levels > MOST_LEVELS:
                raise ResolveError(f"references make a value of more than {MOST_LEVELS} levels")
        if self._added > MOST_VALUES:
            raise ResolveError(f"references add more than {MOST_VALUES:,} values to the target")

    def _referenced(self, reference: Reference, *, whole: bool) -> Value:
        """The value of a reference: resolved as a whole, or only at its surface."""
        self._enter(1)
        outer_deepest, self._deepest = self._deepest, self._depth
        try:
            text = "".join(map(self._part, reference.parts))
            path, has_default, default = text.partition("::")
            return self._at(path, default if has_default else None, whole=whole)
        finally:
            self._deepest = max(outer_deepest, self._deepest)
            self._depth -= 1

    def _at(self, path: str, default: str | None, *, whole: bool) -> Value:
        if path in self._trail:
            start = self._trail.index(path)
            self._loop = min(self._loop, start)
            raise Loop(self._trail[start:])
        cached = self._known.get((path, whole))
        # A result that visits a path on the trail would be a loop this time.
        if cached is not None and cached.visited.isdisjoint(self._trail):
            self._enter(cached.height)
            self._depth -= cached.height
            self.visited |= cached.visited
            return cached.value
        attempt = (path, default, whole, self._depth, tuple(self._trail))
        failure = self._failed.get(attempt)
        if failure is not None:
            self._deepest = max(self._deepest, failure.deepest)
            self._loop = min(self._loop, failure.loop)
            self.visited |= failure.visited
            raise failure.error.with_traceback(None)
        outer, self.visited = self.visited, {path}
        deepest, self._deepest = self._deepest, self._depth
        loop, self._loop = self._loop, _NO_LOOP
        self._trail.append(path)
        try:
            value = self._value_at(path, default, whole=whole)
        except ResolveError as error:
            visited = frozenset(self.visited)
            self._failed[attempt] = _Failure(error, visited, self._deepest, self._loop)
            raise
        finally:
            self._trail.pop()
            self._deepest = max(deepest, self._deepest)
            self._loop = min(loop, self._loop)
            outer |= self.visited
            self.visited = outer
        return value

    def _value_at(self, path: str, default: str | None, *, whole: bool) -> Value:
        try:
            value = self._look_up(path)
            if whole:
                value = self.resolve(value)
        except KeyMissing as missing:
            # A default stands in for this reference only, not for one that it depends on.
            if default is None or missing.path != path:
                raise
            value = read_default(default)
            return self.resolve(value) if whole else value
        # A loop that begins further out depends on the trail: do not cache the result.
        if self._loop >= len(self._trail) - 1:
            height = self._deepest - self._depth
            self._known[path, whole] = _Known(value, frozenset(self.visited), height)
        return value

    def _enter(self, levels: int) -> None:
        self._depth += levels
        if self._depth > DEEPEST:
            self._depth -= levels
            raise ResolveError(f"references are nested deeper than {DEEPEST} levels")
        self._deepest = max(self._deepest, self._depth)

    def _look_up(self, path: str) -> Value:
        first, *rest = path.split(":")
        if first not in self._parameters:
            raise KeyMissing.at(path, first, self._parameters)
        value = self._parameters[first].value
        for index, key in enumerate(rest):
            value = self._surface(value)
            if type(value) is not Map:
                walked = ":".join((first, *rest[:index]))
                raise ResolveError(
                    f"${{{path}}}: {walked} is {kind_of(value)}, it has no key {key}"
                )
            if key not in value.items:
                raise KeyMissing.at(path, key, value.items)
            value = value.items[key]
        while type(value) is Token or type(value) is Stack:
            value = self.resolve(value)
        return value

    def _surface(self, value: Value) -> Value:
        """A value resolved only as far as a key can be looked up in it."""
        kind = type(value)
        if kind is Token:
            return self.resolve(value)
        if kind is not Stack:
            return value
        return surface(
            self.resolve(layer) if type(layer) is Token else layer for layer in value.layers
        )


def _size(value: Value) -> tuple[int, int]:
    """How many values a value has, and how many levels; a mapping is measured once."""
    kind = type(value)
    if kind is str:
        return 1 + len(value) // _CHARACTERS, 0
    if kind is Map or kind is Sequence:
        if value.size is None:
            parts = value.items.values() if kind is Map else value.items
            value.size = _size_of_all(parts)
        size: tuple[int, int] = value.size
        return size
    return _size_of_all(value) if kind is list else (1, 0)


def _size_of_all(parts: Iterable[Value]) -> tuple[int, int]:
    size, levels = 1, 0
    for part in parts:
        more, deep = _size(part)
        size += more
        levels = max(levels, deep)
    return size, 1 + levels
