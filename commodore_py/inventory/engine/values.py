"""Values of a hierarchy before and after its references are resolved.

Plain Python values (None, bool, int, float, str, list) hold nothing to resolve. Everything that may
change when layers meet, or when a reference is looked up, is one of the classes below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.inventory.paths import Index

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from commodore_py.model.spot import ParameterPath

# A plain value, or one of Token, Sequence, Map, Stack and (after resolving) Unresolved.
Value: TypeAlias = Any
Part: TypeAlias = "str | Reference"

MISSING: Any = object()
"""Stands for a parameter that does not exist, which is not the same as one that is null."""
NO_KEYS: frozenset[Hashable] = frozenset()


class OddKey:
    """A mapping key that Python would take for an integer: `true` is not `1`, nor is `1.0`."""

    __slots__ = ("value",)

    def __init__(self, value: bool | float) -> None:  # noqa: FBT001 - it stands for the key itself
        self.value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OddKey)
            and type(self.value) is type(other.value)
            # There is one NaN object, see `numbers`, and it does equal itself as a key.
            and (self.value is other.value or self.value == other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __str__(self) -> str:
        return str(self.value)


class Reference:
    """The part between `${` and `}`: strings and further references."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts


class Token:
    """A string with references, or one whose references cannot be parsed."""

    __slots__ = ("parts", "problem", "text")

    def __init__(self, text: str, parts: tuple[Part, ...], problem: str = "") -> None:
        self.text = text
        self.parts = parts
        self.problem = problem


class Sequence:
    """A list with something to resolve; a list without is a plain list."""

    __slots__ = ("items",)

    def __init__(self, items: list[Value]) -> None:
        self.items = items


class Map:
    """A mapping, with the keys that were marked constant (`=`) or overriding (`~`).

    `static` maps hold nothing to resolve: they are shared, and never changed once they are built.
    """

    __slots__ = ("_plain", "broken", "constant", "items", "overriding", "static")

    def __init__(self) -> None:
        self.items: dict[Hashable, Value] = {}
        self.constant: frozenset[Hashable] | set[Hashable] = NO_KEYS
        self.overriding: frozenset[Hashable] | set[Hashable] = NO_KEYS
        self.static = True
        self.broken = False
        self._plain: dict[Any, Any] | None = None

    def mark(self, key: Hashable, *, constant: bool, overriding: bool) -> None:
        """Remember how a key was marked."""
        if constant:
            self.constant = {*self.constant, key}
        if overriding:
            self.overriding = {*self.overriding, key}

    def plain(self) -> dict[Any, Any]:
        """The mapping as plain values, made once."""
        if self._plain is None:
            self._plain = {plain_key(key): plain(value) for key, value in self.items.items()}
        return self._plain


class Stack:
    """Layers of one parameter, lowest first; grown stacks are shared between targets."""

    __slots__ = ("_grown", "layers")

    def __init__(self, layers: tuple[Value, ...]) -> None:
        self.layers = layers
        self._grown: dict[int, Stack] = {}

    def plus(self, layer: Value) -> Stack:
        """The stack with one layer more; the same object for the same layer."""
        grown = self._grown.get(id(layer))
        if grown is None:
            more = layer.layers if isinstance(layer, Stack) else (layer,)
            grown = self._grown[id(layer)] = Stack((*self.layers, *more))
        return grown


class ResolveError(Exception):
    """A value that cannot be resolved; harmless as long as a later layer replaces it."""


class Unresolved:
    """The place of a value that could not be resolved."""

    __slots__ = ("error",)

    def __init__(self, error: ResolveError) -> None:
        self.error = error


def is_dynamic(value: Value) -> bool:
    """Whether anything in a value must still be resolved."""
    kind = type(value)
    if kind is Map:
        return not value.static
    return kind in (Token, Sequence, Stack, Unresolved)


def is_broken(value: Value) -> bool:
    """Whether a resolved value holds something that could not be resolved."""
    kind = type(value)
    if kind is Map:
        return bool(value.broken)
    if kind is Sequence:
        return any(is_broken(item) for item in value.items)
    return kind is Unresolved


def plain(value: Value) -> Any:
    """A resolved value as plain Python values."""
    kind = type(value)
    if kind is Map:
        return value.plain()
    if kind is Sequence:
        return [plain(item) for item in value.items]
    if kind is list:
        return [plain(item) for item in value]
    return value


def plain_key(key: Hashable) -> Hashable:
    """A mapping key as Python has it."""
    return key.value if isinstance(key, OddKey) else key


def kind_of(value: Value) -> str:
    """The kind of a value, for messages."""
    kind = type(value)
    names: dict[Any, str] = {
        Map: "a mapping",
        dict: "a mapping",
        list: "a list",
        Sequence: "a list",
        str: "a string",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        type(None): "null",
        Unresolved: "an unresolved reference",
    }
    return names.get(kind, kind.__name__)


def unresolved_in(value: Value, path: ParameterPath) -> Iterable[tuple[ParameterPath, Unresolved]]:
    """Every part that could not be resolved, by its path."""
    kind = type(value)
    if kind is Unresolved:
        yield path, value
    elif kind is Map and value.broken:
        for key, child in value.items.items():
            yield from unresolved_in(child, (*path, str(key)))
    elif kind is Sequence or kind is list:
        items = value.items if kind is Sequence else value
        for index, child in enumerate(items):
            yield from unresolved_in(child, (*path, Index(index)))
