"""Documents with a little less in them, to make what differs as small as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

_ATTEMPTS = 20_000


def shrunk(documents: list[object], differs: Callable[[list[object]], bool]) -> list[object]:
    """The smallest documents found that still differ."""
    attempts = 0
    found = True
    while found and attempts < _ATTEMPTS:
        found = False
        for less in _items(documents, frozenset()):
            attempts += 1
            if differs(less):
                documents, found = less, True
                break
    return documents


def _smaller(value: object, above: frozenset[int]) -> Iterator[object]:
    """Values that are simpler; parts that stay are the same objects, so that aliases stay too."""
    if id(value) in above:
        return
    below = above | {id(value)}
    match value:
        case str():
            yield from _cut(value)
        case list():
            yield from value
            yield from _items(value, below)
        case tuple():
            yield from value
            yield from (tuple(less) for less in _items(list(value), below))
        case dict():
            yield from value.values()
            yield from value
            yield from _pairs(value, below)
        case set():
            yield from ({*value} - {item} for item in value)
        case bytes() if value:
            yield value[: len(value) // 2]
        case int() | float() if value != 0:
            yield 0


def _items(items: list[object], above: frozenset[int]) -> Iterator[list[object]]:
    for index, item in enumerate(items):
        yield items[:index] + items[index + 1 :]
        for less in _smaller(item, above):
            yield [*items[:index], less, *items[index + 1 :]]


def _pairs(mapping: dict[Hashable, object], above: frozenset[int]) -> Iterator[object]:
    pairs = list(mapping.items())
    for index, (key, value) in enumerate(pairs):
        before, after = pairs[:index], pairs[index + 1 :]
        yield dict(before + after)
        yield from (dict([*before, (key, less), *after]) for less in _smaller(value, above))
        for less in _smaller(key, above):
            if isinstance(less, str | int | float | bytes | tuple):
                yield dict([*before, (less, value), *after])


def _cut(text: str) -> Iterator[str]:
    size = len(text) // 2
    while size:
        yield from (text[:start] + text[start + size :] for start in range(0, len(text), size))
        size //= 2
    for index, character in enumerate(text):
        if character not in "a \n":
            yield f"{text[:index]}a{text[index + 1 :]}"
