"""Values of a hierarchy before and after its references are resolved.

Plain Python values (None, bool, int, float, str, list) hold nothing to resolve. Everything that may
change when layers meet, or when a reference is looked up, is one of the classes below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.inventory.paths import Index

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from commodore_py.model.spot import ParameterPath

# A plain value, or one of Token, Sequence, Map, Stack and (after resolving) Unresolved.
Value: TypeAlias = Any
Part: TypeAlias = "str | Reference"

NO_KEYS: frozenset[Hashable] = frozenset()


class ResolveError(Exception):
    """A value that cannot be resolved; harmless as long as a later layer replaces it."""


@dataclass(frozen=True, slots=True, eq=False)
class OddKey:
    """A mapping key that Python would take for an integer: `true` is not `1`, nor is `1.0`."""

    value: bool | float

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


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The part between `${` and `}`: strings and further references."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A string with references, or one whose references cannot be parsed."""

    text: str
    parts: tuple[Part, ...]
    problem: str = ""


@dataclass(slots=True, eq=False)
class Sequence:
    """A list with something to resolve; a list without is a plain list."""

    items: list[Value]
    size: tuple[int, int] | None = None
    """The number of values and of levels, once it is measured."""


@dataclass(slots=True, eq=False)
class Map:
    """A mapping, with the keys that were marked constant (`=`) or overriding (`~`).

    It is never changed once it is built. What holds nothing to resolve is `static`, and shared.
    """

    items: dict[Hashable, Value]
    constant: frozenset[Hashable] = NO_KEYS
    overriding: frozenset[Hashable] = NO_KEYS
    static: bool = True
    broken: bool = False
    """Whether a part of it could not be resolved."""
    size: tuple[int, int] | None = None
    """The number of values and of levels, once it is measured."""
    _plain: dict[Any, Any] | None = None

    def plain(self) -> dict[Any, Any]:
        """The mapping as plain values, made once."""
        if self._plain is None:
            self._plain = {plain_key(key): plain(value) for key, value in self.items.items()}
        return self._plain


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Layers of one parameter, lowest first."""

    layers: tuple[Value, ...]


class Layers:
    """The values that classes set for one top-level parameter, and results of resolving them.

    Equal by identity: the same classes, one after the other, lead to the same object.
    """

    __slots__ = ("_next", "results", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        """A `Stack` if there are several, lowest first."""
        self.results: dict[tuple[str, ...], dict[tuple[Layers | None, ...], Any]] = {}
        """Results by the names of the parameters that were looked up, and by their layers."""
        self._next: dict[str, Layers] = {}

    def plus(self, value: Value, source: str) -> Layers:
        """These layers, and the value of one more class."""
        layers = self._next.get(source)
        if layers is None:
            layers = self._next[source] = Layers(stacked(self.value, value))
        return layers


@dataclass(frozen=True, slots=True, eq=False)
class Unresolved:
    """The place of a value that could not be resolved."""

    error: ResolveError


def stacked(*values: Value) -> Stack:
    """Values over each other, lowest first; layers of layers are one list."""
    layers: list[Value] = []
    for value in values:
        layers += value.layers if type(value) is Stack else (value,)
    return Stack(tuple(layers))


def is_dynamic(value: Value) -> bool:
    """Test for anything in a value that must still be resolved."""
    kind = type(value)
    if kind is Map:
        return not value.static
    return kind in (Token, Sequence, Stack, Unresolved)


def is_broken(value: Value) -> bool:
    """Test for anything in a resolved value that could not be resolved."""
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


_KINDS: dict[Any, str] = {
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


def kind_of(value: Value) -> str:
    """The kind of a value, for messages."""
    return _KINDS.get(type(value), type(value).__name__)


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
