"""Class files in the few types that `marshal` writes as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .reader import Applications, ClassFile
from .references import parse
from .values import NO_KEYS, Map, Sequence, Stack, Token, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

Packed: TypeAlias = "tuple[Any, ...]"

_MAP, _TOKEN, _SEQUENCE, _STACK = range(4)
_PLAIN = (str, int, bool, type(None))
_MOST_VALUES = 50_000


class _NotPlain(Exception):
    """Something that would not come back as it was."""


def pack(content: ClassFile) -> Packed | None:
    """A file that was read without warnings; None if it cannot be stored."""
    if content.has_ignored_keys:
        return None
    try:
        parameters = _packed(content.parameters, iter(range(_MOST_VALUES)))
    except _NotPlain:
        return None
    applications = content.applications
    return (
        content.classes,
        applications.names,
        applications.removals,
        parameters,
        dict(content.texts),
    )


def unpack(packed: Packed) -> ClassFile:
    """The file again."""
    classes, names, removals, parameters, texts = packed
    return ClassFile(classes, Applications(names, removals), _unpacked(parameters), texts)


def _packed(value: Value, room: Iterator[int]) -> Any:  # noqa: PLR0911 - plain values; a line a kind
    if next(room, None) is None:  # aliases of aliases are larger than what they are written as
        raise _NotPlain
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float and value == value and value:  # noqa: PLR0124 - NaN is one object here, zeros have signs
        return value
    if kind is list:
        return [_packed(item, room) for item in value]
    if kind is Map:
        if any(type(key) is not str for key in value.items):
            raise _NotPlain
        items = {key: _packed(item, room) for key, item in value.items.items()}
        return (_MAP, items, tuple(value.constant), tuple(value.overriding), value.static)
    if kind is Token:
        return (_TOKEN, value.text)
    if kind is Sequence:
        return (_SEQUENCE, [_packed(item, room) for item in value.items])
    if kind is Stack:
        return (_STACK, [_packed(layer, room) for layer in value.layers])
    raise _NotPlain


def _unpacked(packed: Any) -> Value:
    kind = type(packed)
    if kind is list:
        return [_unpacked(item) for item in packed]
    if kind is not tuple:
        return packed
    what, content = packed[:2]
    if what == _MAP:
        made = Map()
        made.items = {
            key: item if type(item) is str else _unpacked(item) for key, item in content.items()
        }
        _, _, constant, overriding, made.static = packed
        made.constant = frozenset(constant) if constant else NO_KEYS
        made.overriding = frozenset(overriding) if overriding else NO_KEYS
        return made
    if what == _TOKEN:
        return parse(content)
    if what == _SEQUENCE:
        return Sequence([_unpacked(item) for item in content])
    return Stack(tuple(_unpacked(layer) for layer in content))
