"""Resolve references: `${a:b}` in the values of one target, looked up in its parameters.

A value is resolved at most once per target and reference; what several targets have in common is
resolved once for all of them, see `sharing.py`.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from . import numbers
from .merge import LayerCache, surface
from .references import DEEPEST
from .templates import is_scalar
from .values import (
    Map,
    OddKey,
    Reference,
    ResolveError,
    Sequence,
    Stack,
    Token,
    Unresolved,
    Value,
    is_broken,
    kind_of,
)
from .yaml_values import read_default

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from .lasting import Lasting
    from .templates import Marks
    from .values import Part

MOST_VALUES = 2_000_000
"""Values that references may add to a target; 100 characters of a string count as one more."""
MOST_LEVELS = 250
"""How deep the value of a reference may be nested: what is deeper cannot be written."""

_CHARACTERS = 100
_NO_LOOP = DEEPEST * 2

# A path, its default, whether it is resolved as a whole, how deep, and the paths that led there.
_Attempt: TypeAlias = tuple[str, str | None, bool, int, tuple[str, ...]]


class KnownScalar(NamedTuple):
    """What a token is, without any trail; null if that is not a scalar."""

    value: Value
    token: Token
    """Held, as it is known by its identity."""
    looked_up: tuple[str, ...]
    counts: int
    """What it counts where it is looked up once more."""


class Resolver:
    """Resolves values against the parameters of one target."""

    def __init__(self, parameters: Mapping[Hashable, Value], cache: LayerCache) -> None:
        self._parameters = parameters
        self._cache = cache
        # By path and kind: the value, the paths visited, and how many references deep it went.
        self._known: dict[tuple[str, bool], tuple[Value, frozenset[str], int]] = {}
        # Failures depend on the trail as well. Without this cache, failing layers would be resolved
        # twice as often with every reference between them.
        self._failed: dict[_Attempt, tuple[ResolveError, frozenset[str], int, int]] = {}
        # By identity: how many values a container has, and how many levels.
        self._sizes: dict[int, tuple[Value, int, int]] = {}
        self._added = 0
        self._trail: list[str] = []
        self._depth = 0
        self._deepest = 0
        # Where on the trail the outermost loop begins that was met since this was last reset.
        self._loop = _NO_LOOP
        self.visited: set[str] = set()
        """Paths that were looked up since this was last emptied."""
        self._marks: Marks | None = None

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
            return self._sequence(value)
        return value

    def text(self, token: Token) -> str:
        """A text with its references replaced, as it stands in a class name."""
        return as_text(self._token(token))

    def marked(self, value: Value, marks: Marks) -> Value:
        """The same with its own scalars marked, not those of what it refers to; counts nothing."""
        added, self._marks = self._added, marks
        try:
            return self.resolve(value)
        finally:
            self._marks = None
            self._discount(added)

    def scalars(
        self, tokens: Iterable[Token], known: Lasting[int, KnownScalar]
    ) -> list[Value] | None:
        """Tokens as scalars; None if one is something else, or cannot be resolved."""
        added, values, visited = self._added, [], []
        for token in tokens:
            # Many parameters have the same tokens.
            scalar = known.results.get(id(token))
            if scalar is None:
                scalar = self._scalar(token)
                known.add(id(token), scalar, scalar.looked_up)
            else:
                self._added += scalar.counts
            if scalar.value is None or self._added > MOST_VALUES:
                self._discount(added)
                return None
            values.append(scalar.value)
            visited.append(scalar.looked_up)
        self.visited.update(*visited)
        return values

    def _scalar(self, token: Token) -> KnownScalar:
        outer, self.visited = self.visited, set()
        try:
            value = self._token(token)
        except ResolveError:
            value = None
        looked_up, self.visited = tuple(sorted(self.looked_up())), outer
        counts = len(value) // _CHARACTERS if type(value) is str else 0
        return KnownScalar(value if is_scalar(value) else None, token, looked_up, counts)

    def _discount(self, added: int) -> None:
        """Count again what is resolved again; what was too much stays too much."""
        if self._added <= MOST_VALUES:
            self._added = added

    def _map(self, value: Map) -> Map:
        made = Map()
        items = made.items
        broken = False
        for key, child in value.items.items():
            try:
                resolved = self.resolve(child)
            except ResolveError as error:
                resolved = Unresolved(error)
            items[key] = resolved
            broken = broken or is_broken(resolved)
        made.constant, made.overriding = value.constant, value.overriding
        made.broken = broken
        made.static = False
        return made

    def _sequence(self, value: Sequence) -> Value:
        return Sequence([self.resolve(item) for item in value.items])

    def _stack(self, value: Stack) -> Value:
        layers = value.layers
        last = len(layers) - 1
        resolved = []
        for index, layer in enumerate(layers):
            try:
                resolved.append(self.resolve(layer))
            except ResolveError as error:
                if index == last:
                    raise
                # An error only if no higher layer replaces it.
                resolved.append(Unresolved(error))
        return self._cache.merged(resolved)

    def _token(self, token: Token) -> Value:
        if self._marks is None or self._trail:
            return self._value_of(token)
        return self._marks.value(token, self._value_of)

    def _value_of(self, token: Token) -> Value:
        if token.problem:
            raise ResolveError(token.problem)
        parts = token.parts
        if len(parts) == 1 and isinstance(parts[0], Reference):
            value = self._referenced(parts[0], whole=True)
            self._count(value)
            return value
        return "".join([self._part(part) for part in parts])

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
            size, levels = self._size(value)
            self._added += size
            if levels > MOST_LEVELS:
                raise ResolveError(f"references make a value of more than {MOST_LEVELS} levels")
        if self._added > MOST_VALUES:
            raise ResolveError(f"references add more than {MOST_VALUES:,} values to the target")

    def _size(self, value: Value) -> tuple[int, int]:
        """How many values a value has, and how many levels; what was measured before is not again.

        What is shared was referenced, and so is known: no value is visited a second time.
        """
        kind = type(value)
        if kind is str:
            return 1 + len(value) // _CHARACTERS, 0
        if kind is Map:
            parts = value.items.values()
        elif kind is Sequence or kind is list:
            parts = value.items if kind is Sequence else value
        else:
            return 1, 0
        known = self._sizes.get(id(value))
        if known is None:
            sizes = [self._size(part) for part in parts]
            size = 1 + sum(size for size, _ in sizes)
            levels = 1 + max((levels for _, levels in sizes), default=0)
            known = self._sizes[id(value)] = (value, size, levels)
        return known[1], known[2]

    def _referenced(self, reference: Reference, *, whole: bool) -> Value:
        """The value of a reference: resolved as a whole, or only at its surface."""
        self._enter(1)
        outer_deepest, self._deepest = self._deepest, self._depth
        try:
            text = "".join([self._part(part) for part in reference.parts])
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
        known = self._known.get((path, whole))
        # A result that visits a path on the trail would be a loop this time.
        if known is not None and known[1].isdisjoint(self._trail):
            value, visited, height = known
            self._enter(height)
            self._depth -= height
            self.visited |= visited
            return value
        if self._failed:
            self._raise_again((path, default, whole, self._depth, tuple(self._trail)))
        outer, self.visited = self.visited, {path}
        deepest, self._deepest = self._deepest, self._depth
        loop, self._loop = self._loop, _NO_LOOP
        self._trail.append(path)
        try:
            value = self._look_up(path)
            if whole:
                value = self.resolve(value)
            # A loop that begins further out depends on the trail: do not cache the result.
            if self._loop >= len(self._trail) - 1:
                height = self._deepest - self._depth
                self._known[path, whole] = (value, frozenset(self.visited), height)
        except KeyMissing as missing:
            # A default stands in for this reference only, not for one that it depends on.
            if default is None or missing.path != path:
                self._remember_failure(missing, path, default, whole=whole)
                raise
            value = read_default(default)
            if whole:
                value = self.resolve(value)
        except ResolveError as error:
            self._remember_failure(error, path, default, whole=whole)
            raise
        finally:
            self._trail.pop()
            self._deepest = max(deepest, self._deepest)
            self._loop = min(loop, self._loop)
            outer |= self.visited
            self.visited = outer
        return value

    def _remember_failure(
        self, error: ResolveError, path: str, default: str | None, *, whole: bool
    ) -> None:
        attempt = (path, default, whole, self._depth, tuple(self._trail[:-1]))
        self._failed[attempt] = (error, frozenset(self.visited), self._deepest, self._loop)

    def _raise_again(self, attempt: _Attempt) -> None:
        failed = self._failed.get(attempt)
        if failed is not None:
            error, visited, deepest, loop = failed
            self._deepest = max(self._deepest, deepest)
            self._loop = min(self._loop, loop)
            self.visited |= visited
            raise error.with_traceback(None)

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
        value = self._parameters[first]
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


class KeyMissing(ResolveError):
    """A reference looks up a key that does not exist."""

    path: str
    key: str
    present: tuple[str, ...]

    @classmethod
    def at(cls, path: str, key: str, present: Mapping[Hashable, Value]) -> KeyMissing:
        """Name the missing part of the path; keep the keys that exist instead."""
        error = cls(f"${{{path}}}: key {key} not found")
        error.path, error.key = path, key
        error.present = tuple(str(one) for one in present)
        return error


class Loop(ResolveError):
    """References that look up each other in a loop."""

    def __init__(self, ring: list[str]) -> None:
        names = [f"${{{path}}}" for path in (*ring, ring[0])]
        super().__init__(f"references form a loop: {' -> '.join(names)}")
        self.ring = tuple(ring)


def as_text(value: Value) -> str:
    """A value inside a string, as reclass-rs writes it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return "null"
    if kind is bool:
        return str(value)
    if kind in (int, float):
        return numbers.number_text(value)
    return _json_text(value)


def _json_text(value: Value) -> str:
    kind = type(value)
    if kind is Map:
        # Keys that are equal as strings, such as 1 and "1", become one.
        pairs = {_json_key(key): _json_text(child) for key, child in value.items.items()}
        texts = (f"{json.dumps(key, ensure_ascii=False)}:{pairs[key]}" for key in sorted(pairs))
        return "{" + ",".join(texts) + "}"
    if kind is list or kind is Sequence:
        items = value.items if kind is Sequence else value
        return "[" + ",".join(_json_text(item) for item in items) + "]"
    if value is None or kind is bool:
        return json.dumps(value)
    if kind in (int, float):
        if math.isfinite(value):
            return numbers.json_number(value)
        return json.dumps(numbers.number_text(value))
    if kind is str or kind is Token:
        # Inside a mapping or list, references stay as written.
        return json.dumps(value if kind is str else value.text, ensure_ascii=False)
    raise ResolveError(f"{kind_of(value)} cannot be part of a string")


def _json_key(key: Hashable) -> str:
    if key is None:
        return "null"
    if isinstance(key, OddKey):
        return str(key).lower() if isinstance(key.value, bool) else numbers.number_text(key.value)
    return str(key)
