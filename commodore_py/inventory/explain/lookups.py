"""References in the values of one target: what they look up, and what that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.inventory.engine.resolver import KeyMissing, Resolver
from commodore_py.inventory.engine.values import (
    Map,
    Reference,
    ResolveError,
    Sequence,
    Stack,
    Token,
    Unresolved,
    Value,
    is_dynamic,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from commodore_py.model.spot import ParameterPath


@dataclass(frozen=True, slots=True)
class Lookup:
    """A reference and its value."""

    written: str
    path: ParameterPath
    value: Value
    default: bool = False
    error: ResolveError | None = None
    inner: tuple[Lookup, ...] = ()

    def below(self, part: Hashable, value: Value) -> Lookup:
        """This reference as the source of a part of its value."""
        return replace(self, path=(*self.path, part), value=value)


def resolved(value: Value, resolver: Resolver) -> Value:
    """A value without references; Unresolved if that is impossible."""
    if not is_dynamic(value):
        return value
    try:
        return resolver.resolve(value)
    except ResolveError as error:
        return Unresolved(error)


def lookups_in(value: Value, resolver: Resolver) -> Iterator[Lookup]:
    """The references in a value, each once."""
    for token in dict.fromkeys(_tokens(value)):
        for part in token.parts:
            if isinstance(part, Reference):
                yield lookup(part, resolver)


def lookup(reference: Reference, resolver: Resolver) -> Lookup:
    """A reference with its value, and the references inside it with theirs."""
    inner = tuple(lookup(part, resolver) for part in reference.parts if not isinstance(part, str))
    written = written_as(reference)
    try:
        text = resolver.text(Token(written, reference.parts))
    except ResolveError as error:
        return Lookup(written, (), Unresolved(error), error=error, inner=inner)
    path, has_default, _ = text.partition("::")
    value = _value_of(text, resolver)
    missing = _value_of(path, resolver) if has_default else None
    default = (
        type(missing) is Unresolved
        and isinstance(missing.error, KeyMissing)
        and missing.error.path == path
    )
    failure = value.error if type(value) is Unresolved else None
    return Lookup(written, tuple(path.split(":")), value, default, failure, inner)


def written_as(reference: Reference) -> str:
    """A reference as it is written in a string."""
    parts = (part if isinstance(part, str) else written_as(part) for part in reference.parts)
    return f"${{{''.join(parts)}}}"


def _value_of(text: str, resolver: Resolver) -> Value:
    return resolved(Token(f"${{{text}}}", (Reference((text,)),)), resolver)


def _tokens(value: Value) -> Iterator[Token]:
    kind = type(value)
    if kind is Token:
        yield value
    elif kind is Map and not value.static:
        for child in value.items.values():
            yield from _tokens(child)
    elif kind is Sequence or kind is Stack:
        for child in value.items if kind is Sequence else value.layers:
            yield from _tokens(child)
