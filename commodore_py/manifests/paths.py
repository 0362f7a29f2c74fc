"""Paths of fields, their notation, and patterns that match them (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .merge_keys import Label


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list: its label and its position."""

    index: int
    label: Label = ()
    by_value: bool = False
    """Whether the position is irrelevant: a scalar that is added or removed."""

    def __str__(self) -> str:
        if self.label:
            return f"[{','.join(f'{name}={value}' for name, value in self.label)}]"
        return "[]" if self.by_value else f"[{self.index}]"


FieldPath: TypeAlias = tuple[object, ...]
"""Keys from the root of an object, with an `Item` for each list on the way."""

# A segment of a pattern: an item of a list, a key in quotes, or a key.
_WORD = re.compile(r'\[([^\]]*)\]|"((?:[^"\\]|\\.)*)"|([^.\[\]"]+)')
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")
ANY_DEPTH = "**"
_ITEM = "["


class BadPattern(ValueError):
    """An invalid path pattern."""


def written(path: Iterable[object]) -> str:
    """The path in its usual notation."""
    text = ""
    for step in path:
        if isinstance(step, Item):
            text += str(step)
        else:
            text += f".{_key(str(step))}" if text else _key(str(step))
    return text


def generalised(path: FieldPath) -> str:
    """The path with a wildcard for every item of a list."""
    return written(Item(0, (("*", ""),)) if isinstance(s, Item) else s for s in path).replace(
        "[*=]", "[*]"
    )


def names(path: FieldPath) -> tuple[str, ...]:
    """The keys of a path, without items."""
    return tuple(str(step) for step in path if not isinstance(step, Item))


def covers(pattern: str, path: FieldPath) -> bool:
    """Return whether a pattern matches a path or one above it."""
    return _covers(
        parse_path(pattern),
        tuple(
            (f"{_ITEM}{str(step)[1:-1]}" if isinstance(step, Item) else str(step)) for step in path
        ),
    )


@lru_cache(maxsize=1024)
def parse_path(pattern: str) -> tuple[str, ...]:
    """The segments of a pattern; those for items of lists begin with a bracket."""
    words, at = [], 0
    while at < len(pattern):
        if at and pattern[at] == ".":
            at += 1
        elif at and pattern[at] != _ITEM:
            raise BadPattern(pattern)
        match = _WORD.match(pattern, at)
        if match is None:
            raise BadPattern(pattern)
        item, quoted, plain = match.groups()
        if item is not None:
            words.append(_ITEM + item)
        else:
            words.append(plain if quoted is None else quoted)
        at = match.end()
    if not words:
        raise BadPattern(pattern)
    return tuple(words)


@lru_cache(maxsize=4096)
def _covers(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    if not pattern:
        return True
    word, *rest = pattern
    if word == ANY_DEPTH:
        return any(_covers(tuple(rest), path[start:]) for start in range(len(path) + 1))
    return bool(path) and _matches(word, path[0]) and _covers(tuple(rest), path[1:])


def _matches(word: str, step: str) -> bool:
    # fnmatch would read brackets as character sets.
    return word.startswith(_ITEM) == step.startswith(_ITEM) and fnmatchcase(
        step.removeprefix(_ITEM), word.removeprefix(_ITEM).replace("[", "[[]")
    )


def _key(name: str) -> str:
    if _PLAIN_KEY.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
